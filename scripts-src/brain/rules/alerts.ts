import { isRecord, type JsonObject, type JsonValue } from "../../base/json.ts";
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

/** Which alerts the session was given on its current rise. */
export type Latches = Readonly<Record<AlertName, boolean>>;

export const armed: Latches = { memory_full: false, hallucination_risk: false };

/** How full a window is. */
export interface Fill {
  /** Of the tokens at which the CLI compacts. */
  readonly percentage: number;
  /** Of the model's whole window, where it is known. */
  readonly rawPercentage: number | undefined;
}

/** The latches after the usage was seen: what fell to its threshold is armed again. */
export function rearm(latches: Latches, fill: Fill, thresholds = defaultThresholds): Latches {
  const keep = (name: AlertName) => latches[name] && !isLow(name, fill, thresholds);
  return { memory_full: keep("memory_full"), hallucination_risk: keep("hallucination_risk") };
}

/** Which rise of the usage it is, for each alert: one that is on its way counts for its own only. */
export type Rises = Readonly<Record<AlertName, number>>;

export const firstRises: Rises = { memory_full: 0, hallucination_risk: 0 };

/** The rises after the usage was seen; without a fill the context was emptied. */
export function risesAfter(
  rises: Rises,
  fill: Fill | undefined,
  thresholds = defaultThresholds,
): Rises {
  const next = (name: AlertName) =>
    rises[name] + (fill === undefined || isLow(name, fill, thresholds) ? 1 : 0);
  return { memory_full: next("memory_full"), hallucination_risk: next("hallucination_risk") };
}

function isLow(name: AlertName, { percentage }: Fill, thresholds: Thresholds): boolean {
  return percentage <= thresholds[name];
}

/** The turns of a session, counted, and in which of them each alert was given last. */
export interface Turns {
  readonly now: number;
  readonly told: Readonly<Partial<Record<AlertName, number>>>;
}

export const firstTurn: Turns = { now: 0, told: {} };

export function nextTurn({ now, told }: Turns): Turns {
  return { now: now + 1, told };
}

/** The turns after an alert was delivered that was due in one of them. */
export function toldIn(
  { now, told }: Turns,
  { name, turn }: { readonly name: AlertName; readonly turn: number },
): Turns {
  return { now, told: { ...told, [name]: turn } };
}

/** The alerts to give now, in the order in which they are given: none twice in a turn. */
export function dueAlerts(
  latches: Latches,
  fill: Fill,
  { now, told }: Turns,
  thresholds = defaultThresholds,
): AlertName[] {
  const isDue = (name: AlertName) => !latches[name] && told[name] !== now;
  return alertNames.filter((name) => isDue(name) && fill.percentage > thresholds[name]);
}

/** The latches once an alert has been delivered. */
export function latched(latches: Latches, given: readonly AlertName[]): Latches {
  const is = (name: AlertName) => latches[name] || given.includes(name);
  return { memory_full: is("memory_full"), hallucination_risk: is("hallucination_risk") };
}

/** Reads latches that were stored; what is not there is armed. */
export function parseLatches(value: JsonValue | undefined): Latches {
  const fields = isRecord(value) ? value : {};
  return {
    memory_full: fields["memory_full"] === true,
    hallucination_risk: fields["hallucination_risk"] === true,
  };
}

export function latchesObject(latches: Latches): JsonObject {
  return { ...latches };
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
