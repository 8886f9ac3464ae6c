import { withoutElements, withoutInjected } from "../../brain/rules/injected-text.ts";
import { isWakeLine } from "./wake-policy.ts";

/** The element in which a CLI sends its own news as a prompt. */
const notice = "task-notification";
const wholeNotice = /^\s*\[SYSTEM NOTIFICATION - NOT USER INPUT\]/;

/** The part of a prompt that a person wrote; "" when a CLI or a hook wrote all of it. */
export function userWords(prompt: string): string {
  if (wholeNotice.test(prompt) || isWakeLine(prompt)) return "";
  return withoutInjected(withoutElements(prompt, notice));
}
