import { defined } from "../../base/omit-undefined.ts";
import type { Moment } from "../../clis/hook-entries.ts";
import type { HookCall, HookInput } from "../../wake/hook-call.ts";
import { isWakeLine } from "../../wake/rules/wake-policy.ts";
import { cut, withoutElements, withoutInjected } from "./injected-text.ts";
import { brainLimits } from "./limits.ts";
import type { SessionReport } from "./methods.ts";
import { snapshotContent } from "./session-handover.ts";
import { fieldNumber, fieldText } from "./usage-in-transcript.ts";

/** What a moment of a CLI is to the brain. */
interface HookEvent {
  readonly event: "start" | "prompt" | "tool" | "save" | "end";
  /** What a hook prints then reaches the model. */
  readonly deliverable?: true;
  /** It is worth starting a brain for. */
  readonly mayStart?: true;
  /** The cause, where the CLI does not name it. */
  readonly source?: "compact";
}

export const hookEvents: Readonly<Record<Moment, HookEvent>> = {
  start: { event: "start", deliverable: true, mayStart: true },
  "silent start": { event: "start", mayStart: true },
  prompt: { event: "prompt", deliverable: true, mayStart: true },
  tool: { event: "tool", deliverable: true },
  stop: { event: "save" },
  summary: { event: "save" },
  compacted: { event: "start", source: "compact" },
  end: { event: "end" },
};

/** What to tell the brain of an event. Undefined where the CLI names no session that could be told of. */
export function reportAt({
  moment,
  cli,
  input,
}: Pick<HookCall, "moment" | "cli" | "input">): SessionReport | undefined {
  const session = fieldText(input, "session_id") ?? "";
  if (session === "" || session.length > brainLimits.brainSessionCharacters) return undefined;
  const { event, deliverable = false, source: known } = hookEvents[moment];
  const source = known ?? fieldText(input, event === "end" ? "reason" : "source");
  const prompt = event === "prompt" ? promptIn(input) : "";
  const context = event === "save" ? contextIn(input) : {};
  return {
    ...{ session, cli, event, deliverable },
    ...defined({
      source: source && cut(source, 64),
      prompt: prompt === "" ? undefined : prompt,
      context: Object.keys(context).length === 0 ? undefined : context,
      ...usageAt(source, input),
    }),
  };
}

function promptIn(input: HookInput): string {
  return cut(userWords(fieldText(input, "prompt") ?? ""), brainLimits.queryCharacters);
}

function contextIn(input: HookInput) {
  const answer = fieldText(input, "last_assistant_message") ?? fieldText(input, "prompt_response");
  const summary = summaryIn(fieldText(input, "compact_summary") ?? "");
  return snapshotContent({ answer: answer ?? "", summary, prompt: promptIn(input) });
}

/** Models are asked to think aloud before it and to put it between tags. */
function summaryIn(text: string): string {
  const [, behind = ""] = text.split("<summary>", 2);
  const end = behind.indexOf("</summary>");
  return withoutElements(end < 0 ? text : behind.slice(0, end), "analysis").trim();
}

/** Right after a compaction the transcript still has the usage from before it. */
function usageAt(source: string | undefined, input: HookInput) {
  if (source === "compact" || source === "clear" || "compact_summary" in input) return {};
  const current = fieldNumber(input, "context_tokens");
  const model = fieldText(input, "context_model");
  const path = fieldText(input, "transcript_path") ?? "";
  return {
    token_usage: current === undefined ? undefined : { current, ...defined({ model }) },
    transcript: path !== "" && path.length <= brainLimits.pathCharacters ? path : undefined,
  };
}

/** The element in which a CLI sends its own news as a prompt. */
const notice = "task-notification";
const wholeNotice = /^\s*\[SYSTEM NOTIFICATION - NOT USER INPUT\]/;

/** The part of a prompt that a person wrote; "" when a CLI or a hook wrote all of it. */
export function userWords(prompt: string): string {
  if (wholeNotice.test(prompt) || isWakeLine(prompt)) return "";
  return withoutInjected(withoutElements(prompt, notice));
}
