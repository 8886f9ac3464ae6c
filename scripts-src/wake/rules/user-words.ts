import { withoutElements, withoutInjected } from "../../brain/rules/injected-text.ts";
import { isWakeLine } from "./wake-policy.ts";

/** What a CLI itself puts in as a prompt: its own news, and what hooks woke it for. */
const notice = "task-notification";
const wholeNotice = /^\s*\[SYSTEM NOTIFICATION - NOT USER INPUT\]/;

/** The words of a prompt that a person wrote; empty when none are. */
export function userWords(prompt: string): string {
  if (wholeNotice.test(prompt) || isWakeLine(prompt)) return "";
  return withoutInjected(withoutElements(prompt, notice));
}
