import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { oneLine } from "../../base/visible-text.ts";
import { canDraw, draw, hasColors } from "../../script/output.ts";

/** The size of a terminal; a usual one where it is not known, which some tell as 0. */
export function terminalSize({ columns, rows }: NodeJS.WriteStream) {
  return { columns: columns || 80, rows: rows || 24 };
}

/** A text on at most so many lines of a width; what is left out shows as an ellipsis. */
export function wrapped(text: string, width: number, linesMax = Number.POSITIVE_INFINITY) {
  const lines = wrapAnsi(text, Math.max(1, width), { hard: true }).split("\n");
  const kept = lines.slice(0, linesMax);
  if (linesMax > 0 && lines.length > kept.length)
    kept.push(cutTo(`${kept.pop() ?? ""}\u2026`, width));
  return kept;
}

/** A text in one line of a width. */
export function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const options = { hard: true, wordWrap: false };
  const [first = ""] = wrapAnsi(text, Math.max(1, width - 1), options).split("\n");
  return `${first.trimEnd()}\u2026`;
}

/** A text filled up with blanks to a width, or cut to it. */
export function padded(text: string, width: number): string {
  const cut = cutTo(text, width);
  return cut + " ".repeat(Math.max(0, width - stringWidth(cut)));
}

const codes = { bold: [1, 22], dim: [2, 22], good: [32, 39], alert: [33, 39] } as const;

export type Style = keyof typeof codes;

/** Gives a text the look that a terminal can show; none where nobody wants colours. */
export function painter(isColored: boolean): (style: Style, text: string) => string {
  return (style, text) => {
    const [open, close] = codes[style];
    return isColored && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  };
}

/**
 * A few lines at the end of the terminal of stderr that are drawn again in place. What scrolled away stays, and
 * the last frame too, so that nothing is lost with it.
 */
export class Screen {
  #shown: readonly string[] = [];
  readonly #restore = () => draw("stderr", "\u001b[?25h");

  /** Draws what fits: lines that are no wider than the terminal, and fewer than its rows. */
  draw(frame: (columns: number, rows: number, isColored: boolean) => readonly string[]): void {
    // Stdout may be a file.
    const { columns, rows } = terminalSize(process.stderr);
    const lines = frame(columns, rows, hasColors(process.env));
    if (lines.join("\n") === this.#shown.join("\n")) return;
    if (this.#shown.length === 0) {
      process.on("exit", this.#restore);
      draw("stderr", "\u001b[?25l");
    }
    // A terminal that became narrower has broken the lines of the last frame.
    const rowsOf = (line: string) => Math.max(1, Math.ceil(stringWidth(line) / columns));
    const height = this.#shown.reduce((sum, line) => sum + rowsOf(line), 0);
    const toTop = height === 0 ? "" : `\r\u001b[${height}A`;
    draw("stderr", `${toTop}${lines.map((line) => `${line}\u001b[K\n`).join("")}\u001b[J`);
    this.#shown = lines;
  }

  /** Leaves the last frame where it is. */
  end(): void {
    process.off("exit", this.#restore);
    if (this.#shown.length > 0) this.#restore();
    this.#shown = [];
  }
}

/** Rings the terminal: the bell, and a notification (OSC 9) where a terminal knows that. */
export function ringTerminal(text: string): void {
  // A text of one line without controls: none of it can end the sequence early.
  const notification = canDraw(process.env) ? `\u001b]9;${oneLine(text)}\u0007` : "";
  draw("stderr", `${notification}\u0007`);
}

const reportWidthMax = 100;

/** A report of ours, which is Markdown of a few forms, as a terminal shows it. */
export function renderReport(markdown: string, columns: number, isColored: boolean): string {
  const paint = painter(isColored);
  const width = Math.max(20, Math.min(reportWidthMax, columns - 1));
  const lines = markdown.trimEnd().split("\n");
  return `${lines.flatMap((line) => renderLine(line, paint, width)).join("\n")}\n`;
}

function renderLine(line: string, paint: ReturnType<typeof painter>, width: number): string[] {
  const body = (text: string, room: number) => {
    // Without the backslashes that keep a participant's line from passing for one of ours.
    const shown = text.replace(/^( {0,3})\\(?=[#=<-])/, "$1");
    return wrapped(
      shown.replace(/\*\*([^*]+)\*\*/g, (_, words: string) => paint("bold", words)),
      room,
    );
  };
  const [, marks, heading] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
  if (heading !== undefined) {
    const shown = wrapped(heading, width).map((it) => paint("bold", it));
    if (marks !== "#") return shown.map((it) => paint("good", it));
    return [...shown, paint("dim", "\u2500".repeat(Math.min(width, Math.max(8, heading.length))))];
  }
  const [, indent = "", quoted] = /^(\s*)>\s?(.*)$/.exec(line) ?? [];
  if (quoted !== undefined)
    return body(quoted, width - indent.length - 2).map((it) =>
      `${indent}${paint("dim", "\u2502")} ${it}`.trimEnd(),
    );
  const [, item] = /^- (.*)$/.exec(line) ?? [];
  if (item === undefined) return body(line, width);
  // A command is kept whole on a line of its own: what wraps it would break it when copied.
  const [, says = item, command] = /^(.*?:) ((?:node|cd) .*)$/.exec(item) ?? [];
  const shown = body(says, width - 2).map((it, at) => `${at === 0 ? "\u2022" : " "} ${it}`);
  return command === undefined ? shown : [...shown, `    ${command}`];
}
