import { wrapped } from "./lay-out.ts";
import { type Paint, paintFor, type TerminalTraits } from "./paint.ts";

const widthMax = 100;

/** A report of ours, which is Markdown of a few forms, as a terminal shows it. */
export function renderReport(markdown: string, terminal: TerminalTraits): string {
  const paint = paintFor(terminal);
  const width = Math.max(20, Math.min(widthMax, terminal.columns - 1));
  const lines = markdown
    .trimEnd()
    .split("\n")
    .flatMap((line) => renderLine(line, paint, width));
  return `${lines.join("\n")}\n`;
}

function renderLine(line: string, paint: Paint, width: number): string[] {
  const [, marks, heading] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
  if (heading !== undefined) {
    const shown = wrapped(heading, width).map((it) => paint.bold(it));
    return marks === "#" ? [...shown, rule(paint, heading, width)] : shown.map(paint.good);
  }
  const [, indent = "", quoted] = /^(\s*)>\s?(.*)$/.exec(line) ?? [];
  if (quoted !== undefined) {
    const inner = width - indent.length - 2;
    return body(quoted, inner, paint).map((it) =>
      `${indent}${paint.dim("\u2502")} ${it}`.trimEnd(),
    );
  }
  const [, item] = /^- (.*)$/.exec(line) ?? [];
  if (item !== undefined) return bullet(item, paint, width);
  return body(line, width, paint);
}

function rule(paint: Paint, heading: string, width: number): string {
  return paint.dim("\u2500".repeat(Math.min(width, Math.max(8, heading.length))));
}

/** A command is kept whole on a line of its own: what wraps it otherwise would break it when copied. */
function bullet(item: string, paint: Paint, width: number): string[] {
  const [, says, command] = /^(.*?): ((?:node|cd) .*)$/.exec(item) ?? [];
  if (says !== undefined && command !== undefined)
    return [...bullet(`${says}:`, paint, width), `    ${command}`];
  return body(item, width - 2, paint).map((it, index) => `${index === 0 ? "\u2022" : " "} ${it}`);
}

/**
 * Takes out the backslashes that keep a participant's line from passing for one of ours; a terminal
 * does not need them.
 */
function body(text: string, width: number, paint: Paint): string[] {
  const shown = text.replace(/^( {0,3})\\(?=[#=<-])/, "$1");
  const bold = shown.replace(/\*\*([^*]+)\*\*/g, (_, words: string) => paint.bold(words));
  return wrapped(bold, width);
}
