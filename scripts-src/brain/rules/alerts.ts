import { isRecord, type JsonValue } from "../../base/json.ts";
import type { TokenUsage } from "./methods.ts";

/**
 * The two alerts about a context window (seed, section 6). Each is given once per rise:
 *
 *   armed --above the threshold, and delivered--> given --at the threshold or below--> armed
 *
 * A rise that nobody could be told of leaves the alert armed: it is given at the next occasion at
 * which the usage is still above. Usage that goes up and down around a threshold gives an alert once a
 * turn. Compaction and clear arm both.
 */
export const alertNames = ["memory_full", "hallucination_risk"] as const;
export type AlertName = (typeof alertNames)[number];

export type Thresholds = Readonly<Record<AlertName, number>>;

/** Strictly above these, in percent of the effective window; the lower comes first in a jump. */
export const defaultThresholds: Thresholds = { memory_full: 90, hallucination_risk: 95 };

/** How full a window is. */
export interface Fill {
  /** Of the tokens at which the CLI compacts. */
  readonly percentage: number;
  /** Of the model's whole window, where it is known. */
  readonly rawPercentage: number | undefined;
}

/** What a session was told of one alert. */
interface AlertState {
  /** Which rise of the usage it is: one that is on its way counts for its own only. */
  readonly rise: number;
  readonly isGiven: boolean;
  /** The turn in which it was given last. */
  readonly turn: number;
}

export type Alerts = Readonly<Record<AlertName, AlertState>>;

function eachAlert<T>(makeOne: (name: AlertName) => T): Readonly<Record<AlertName, T>> {
  const [memory_full, hallucination_risk] = [makeOne("memory_full"), makeOne("hallucination_risk")];
  return { memory_full, hallucination_risk };
}

/** The alerts after the usage was seen: what fell to its threshold is armed again; without a fill the context was emptied. */
export function alertsAfter(
  alerts: Alerts,
  fill: Fill | undefined,
  thresholds = defaultThresholds,
): Alerts {
  return eachAlert((name) => {
    const { rise, isGiven, turn } = alerts[name];
    const isAbove = fill !== undefined && fill.percentage > thresholds[name];
    return isAbove ? { rise, isGiven, turn } : { rise: rise + 1, isGiven: false, turn };
  });
}

/** The alerts to give now, in the order in which they are given: none twice in a turn. */
export function dueAlerts(
  alerts: Alerts,
  fill: Fill,
  turn: number,
  thresholds = defaultThresholds,
): AlertName[] {
  const isDue = (name: AlertName) => !alerts[name].isGiven && alerts[name].turn !== turn;
  return alertNames.filter((name) => isDue(name) && fill.percentage > thresholds[name]);
}

/** The alerts once one has arrived that was due on a rise, in a turn. */
export function withGiven(
  alerts: Alerts,
  given: { readonly name: AlertName; readonly rise: number; readonly turn: number },
): Alerts {
  const { name, rise, turn } = given;
  const now = alerts[name];
  return { ...alerts, [name]: { ...now, turn, isGiven: now.isGiven || now.rise === rise } };
}

/** What outlives the brain of them: which were given on their present rise. */
export function givenAlerts(alerts: Alerts): Readonly<Record<AlertName, boolean>> {
  return eachAlert((name) => alerts[name].isGiven);
}

/** What was kept of them; what is not there is armed. */
export function parseAlerts(kept: JsonValue | undefined): Alerts {
  const isGiven = (name: AlertName) => isRecord(kept) && kept[name] === true;
  return eachAlert((name) => ({ rise: 0, isGiven: isGiven(name), turn: -1 }));
}

/** Where CLIs compact, measured in tokens. */
const smallWindow = 200_000;
const largeWindow = 1_000_000;
const claudeReserve = 33_000;
const geminiWindow = 1_048_576;
const geminiShare = 0.5;

/** These run up to their window: they neither compacted nor refused. */
const uncompacted = /haiku-4-5|sonnet-4-5/;
const large = /\[1m\]|opus-4-[78]|opus-5|sonnet-5/;

/**
 * How full the effective window is: the tokens at which the CLI compacts, which raw windows never
 * reach. Undefined where no total is known or none makes sense; then there is nothing to alert of.
 */
export function fillOf(usage: TokenUsage): Fill | undefined {
  const { current } = usage;
  const total = positive(usage.total) ?? modelTotal(usage);
  const percentage = total === undefined || current < 0 ? undefined : percent(current, total);
  if (percentage === undefined) return undefined;
  const raw = rawWindow(usage);
  return { percentage, rawPercentage: raw === undefined ? undefined : percent(current, raw) };
}

/** The size of a model's window; a context above the small one shows that it is the large one. */
function rawWindow({ model, current, raw_total }: TokenUsage): number | undefined {
  const given = positive(raw_total);
  if (given !== undefined) return given;
  if (model === undefined) return undefined;
  if (model.includes("gemini")) return geminiWindow;
  if (!model.includes("claude")) return undefined;
  return large.test(model) || current > smallWindow ? largeWindow : smallWindow;
}

function modelTotal(usage: TokenUsage): number | undefined {
  const raw = rawWindow(usage);
  if (raw === undefined) return undefined;
  const { model = "" } = usage;
  if (model.includes("gemini")) return raw * geminiShare;
  if (!model.includes("claude")) return raw;
  const runsOver = raw === smallWindow && uncompacted.test(model);
  return runsOver ? raw : raw - claudeReserve;
}

function positive(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? tokens : undefined;
}

/** Exact: alerts are decided on it. It may exceed 100; what no number can say is none. */
function percent(tokens: number, total: number): number | undefined {
  const percentage = (100 * tokens) / total;
  return Number.isFinite(percentage) ? percentage : undefined;
}

/** A fill as it goes over the wire: one decimal. */
export function shownFill({ percentage, rawPercentage }: Fill) {
  const raw = rawPercentage === undefined ? {} : { raw_percentage: rounded(rawPercentage) };
  return { token_percentage: rounded(percentage), ...raw };
}

function rounded(percentage: number): number {
  return Math.round(percentage * 10) / 10;
}
