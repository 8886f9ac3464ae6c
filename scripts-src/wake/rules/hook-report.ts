import { defined } from "../../base/omit-undefined.ts";
import { cut, withoutElements } from "../../brain/rules/injected-text.ts";
import { brainLimits } from "../../brain/rules/limits.ts";
import type { SessionReport, TokenUsage } from "../../brain/rules/methods.ts";
import { snapshotContent } from "../../brain/rules/session-handover.ts";
import { fieldNumber, fieldText } from "../../brain/rules/transcripts.ts";
import type { HookedCli } from "../../clis/hook-entries.ts";
import { userWords } from "./extract-user-prompt.ts";
import type { HookEvent } from "./hook-events.ts";

/** The fields of an event that a CLI tells its hook of. */
export type HookInput = Readonly<Record<string, unknown>>;

/**
 * What to tell the brain at a moment. `usage` is what the transcript says. Undefined where the
 * CLI names no session that could be told of.
 */
export function reportAt(
  moment: HookEvent,
  cli: HookedCli,
  input: HookInput,
  usage: TokenUsage | undefined,
): SessionReport | undefined {
  const session = fieldText(input, "session_id") ?? "";
  if (session === "" || session.length > brainLimits.brainSessionCharacters) return undefined;
  const { event, deliverable = false } = moment;
  const source = moment.source ?? fieldText(input, event === "end" ? "reason" : "source");
  const prompt = event === "prompt" ? wordsOf(input) : "";
  const context = contextAt(event, input);
  const tokens = usageAt(source, input, usage);
  return {
    ...{ session, cli, event, deliverable },
    ...(source === undefined ? {} : { source: cut(source, sourceCharacters) }),
    ...(prompt === "" ? {} : { prompt }),
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...defined({ token_usage: tokens }),
  };
}

const sourceCharacters = 64;

function wordsOf(input: HookInput): string {
  return cut(userWords(fieldText(input, "prompt") ?? ""), brainLimits.queryCharacters);
}

function contextAt(event: HookEvent["event"], input: HookInput): NonNullable<Told> {
  if (event !== "save") return {};
  const answer = fieldText(input, "last_assistant_message") ?? fieldText(input, "prompt_response");
  const summary = summaryIn(fieldText(input, "compact_summary") ?? "");
  return snapshotContent({ answer: answer ?? "", summary, prompt: wordsOf(input) });
}

/** Models are asked to think aloud before it and to put it between tags. */
function summaryIn(text: string): string {
  const [, behind = ""] = text.split("<summary>", 2);
  const end = behind.indexOf("</summary>");
  return withoutElements(end < 0 ? text : behind.slice(0, end), "analysis").trim();
}

type Told = SessionReport["context"];

/** Right after a compaction the transcript still has the usage from before it. */
function usageAt(
  source: string | undefined,
  input: HookInput,
  usage: TokenUsage | undefined,
): SessionReport["token_usage"] {
  if (source === "compact" || source === "clear" || "compact_summary" in input) return undefined;
  const current = fieldNumber(input, "context_tokens") ?? usage?.current;
  if (current === undefined) return undefined;
  const { model } = usage ?? {};
  return {
    current,
    ...(model === undefined ? {} : { model: cut(model, modelCharacters) }),
  };
}

const modelCharacters = 128;
