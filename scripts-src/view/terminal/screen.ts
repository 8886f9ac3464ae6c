import { draw } from "../../script/output.ts";
import { hasColors } from "../../script/terminal-capabilities.ts";
import { rowsOf } from "./lay-out.ts";
import type { TerminalTraits } from "./paint.ts";

/**
 * A few lines at the end of the terminal that are drawn again in place. What scrolled away stays, and
 * the last frame too, so that nothing is lost with it.
 */
export class Screen {
  #shown: readonly string[] = [];
  #text = "";
  readonly #restore = () => draw("stderr", showCursor);

  /** The terminal of stderr: stdout may be a file. */
  terminal(): TerminalTraits {
    const { columns = 80, rows = 24 } = process.stderr;
    return { columns, rows, hasColors: hasColors(process.env) };
  }

  /** Lines that are no wider than the terminal, and fewer than its rows. */
  draw(lines: readonly string[]): void {
    const text = lines.join("\n");
    if (text === this.#text) return;
    if (this.#shown.length === 0) this.#begin();
    draw(
      "stderr",
      `${this.#toTop()}${lines.map((line) => `${line}${clearRight}\n`).join("")}${clearBelow}`,
    );
    this.#shown = [...lines];
    this.#text = text;
  }

  /** Leaves the last frame where it is. */
  end(): void {
    if (this.#shown.length === 0) return;
    process.off("exit", this.#restore);
    this.#restore();
    this.#shown = [];
    this.#text = "";
  }

  #begin(): void {
    process.on("exit", this.#restore);
    draw("stderr", hideCursor);
  }

  /** A terminal that became narrower has broken the lines of the last frame. */
  #toTop(): string {
    const { columns } = this.terminal();
    const rows = this.#shown.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    return rows === 0 ? "" : `\r\u001b[${rows}A`;
  }
}

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
const clearRight = "\u001b[K";
const clearBelow = "\u001b[J";
