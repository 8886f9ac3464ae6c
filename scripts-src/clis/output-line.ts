import { oneLine } from "../base/visible-text.ts";
import { runLimits } from "./run-limits.ts";

/** Text of a child process or a participant as one short line that a terminal can show. */
export function shortLine(
  text: string,
  charactersMax: number = runLimits.reasonCharacters,
): string {
  const line = oneLine(text);
  if (line.length <= charactersMax) return line;
  const cut = line.slice(0, charactersMax - 3);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}...`;
}

/** The last line with text: most programs say there why they failed. */
export function lastLine(text: string): string {
  return shortLine(text.trimEnd().split("\n").at(-1) ?? "");
}
