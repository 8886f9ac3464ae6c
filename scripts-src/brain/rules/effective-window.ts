import type { Fill } from "./alerts.ts";

/** What a client says of its context; the seed's `current` and `total`, and what tells more. */
export interface TokenUsage {
  readonly current: number;
  readonly total?: number | undefined;
  readonly raw_total?: number | undefined;
  readonly model?: string | undefined;
  readonly compacted_at?: number | undefined;
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
export function fillOf(usage: TokenUsage, learned?: number): Fill | undefined {
  const { current } = usage;
  const total = positive(usage.total) ?? positive(learned) ?? modelTotal(usage);
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
