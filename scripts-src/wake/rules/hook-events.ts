import type { HookedCli } from "../../clis/hook-entries.ts";

/** What an event of a CLI is to the brain. */
export interface HookEvent {
  readonly event: "start" | "prompt" | "tool" | "save" | "end";
  /** What a hook prints then reaches the model. */
  readonly deliverable?: true;
  /** It is worth starting a brain for. */
  readonly mayStart?: true;
  /** No session of Consulta wants to hear of it. */
  readonly isBrainOnly?: true;
  /** The cause, where the CLI does not name it. */
  readonly source?: "compact";
}

const moments: ReadonlyMap<string, HookEvent> = new Map<string, HookEvent>([
  ["claude SessionStart", { event: "start", deliverable: true, mayStart: true }],
  ["claude UserPromptSubmit", { event: "prompt", deliverable: true, mayStart: true }],
  ["claude PostToolUse", { event: "tool", deliverable: true, isBrainOnly: true }],
  ["claude Stop", { event: "save" }],
  ["claude PostCompact", { event: "save", isBrainOnly: true }],
  ["claude SessionEnd", { event: "end", isBrainOnly: true }],
  // A text at the start of a session of Gemini CLI keeps it from expanding a command given with it.
  ["gemini SessionStart", { event: "start", mayStart: true }],
  ["gemini BeforeAgent", { event: "prompt", deliverable: true, mayStart: true }],
  ["gemini AfterTool", { event: "tool", deliverable: true, isBrainOnly: true }],
  ["gemini AfterAgent", { event: "save" }],
  ["gemini PreCompress", { event: "start", source: "compact" }],
  ["gemini SessionEnd", { event: "end", isBrainOnly: true }],
]);

export function hookEventOf(cli: HookedCli, event: string): HookEvent | undefined {
  return moments.get(`${cli} ${event}`);
}
