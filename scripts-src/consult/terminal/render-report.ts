import { painter, wrapped } from "./screen.ts";

const widthMax = 100;

/** A report of ours, which is Markdown of a few forms, as a terminal shows it. */
export function renderReport(markdown: string, columns: number, isColored: boolean): string {
  const paint = painter(isColored);
  const width = Math.max(20, Math.min(widthMax, columns - 1));
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
