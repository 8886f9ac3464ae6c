import type { HookCall } from "./hook-call.ts";
import { say } from "./output.ts";

/** Puts a text before the model, beside what the event is about; false when the CLI has gone. */
export function printContext({ event }: HookCall, additionalContext: string): boolean {
  const hookSpecificOutput = { hookEventName: event, additionalContext };
  return say(`${JSON.stringify({ hookSpecificOutput })}\n`);
}
