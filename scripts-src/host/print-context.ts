import { visibleText } from "../core/visible-text.ts";
import type { HookCall } from "./hook-call.ts";
import { say } from "./output.ts";

/** Puts a text before the model, beside what the event is about; false when the CLI has gone. */
export function printContext({ event }: HookCall, context: string): boolean {
  // What is escaped in JSON alone would reach the model as it was.
  const hookSpecificOutput = { hookEventName: event, additionalContext: visibleText(context) };
  return say(`${JSON.stringify({ hookSpecificOutput })}\n`);
}
