import { visibleText } from "../base/visible-text.ts";
import { print } from "../script/output.ts";
import type { HookCall } from "./hook-call.ts";

/** Puts a text before the model, beside what the event is about; false when the CLI has gone. */
export function printContext({ event }: HookCall, context: string): boolean {
  // What is escaped in JSON alone would reach the model as it was.
  const hookSpecificOutput = { hookEventName: event, additionalContext: visibleText(context) };
  return print(`${JSON.stringify({ hookSpecificOutput })}\n`);
}
