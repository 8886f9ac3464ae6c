import { oneLine } from "../../base/visible-text.ts";
import { draw } from "../../script/output.ts";
import { canDraw } from "../../script/terminal-capabilities.ts";

/**
 * Rings the terminal: the bell, and a notification (OSC 9) where a terminal knows that; the others pass
 * it over.
 */
export function ringTerminal(text: string): void {
  // A text of one line without controls: none of it can end the sequence early.
  const notification = canDraw(process.env) ? `\u001b]9;${oneLine(text)}\u0007` : "";
  draw("stderr", `${notification}\u0007`);
}
