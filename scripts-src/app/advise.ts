import { ConsultaError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { lineDiff } from "../core/line-diff.ts";
import { readFileIfPresent, writeFileAtomically } from "../store/atomic-file.ts";
import { resolveProjectFile } from "../store/safe-path.ts";
import type { Workspace } from "./workspace.ts";

/** A change to a colleague's memory file, to be shown to the user before it is made. */
export interface Advice {
  readonly path: string;
  readonly diff: string;
  readonly text: string;
}

const memoryFiles = new Map([
  ["claude", "CLAUDE.md"],
  ["gemini", "GEMINI.md"],
]);
const linesMin = 5;
const linesMax = 8;

/**
 * Puts advice for a colleague under its own heading of the colleague's memory file (seed 000,
 * mutual mentoring), replacing what stood there. Nothing is written; see `applyAdvice`.
 * @throws ConsultaError REFUSED when the advice is not 5 to 8 plain lines.
 */
export function proposeAdvice(
  workspace: Workspace,
  from: string,
  to: string,
  advice: string,
): Advice {
  const name = memoryFiles.get(to) ?? "AGENTS.md";
  const path = resolveProjectFile(workspace.project, name);
  const heading = `## Advice from colleague ${from.slice(0, 1).toUpperCase()}${from.slice(1)}`;
  const before = readFileIfPresent(path, limits.messageBytes) ?? "";
  const text = withSection(before, heading, checkedLines(advice));
  return { path, diff: lineDiff(name, before, text), text };
}

export function applyAdvice({ path, text }: Advice): void {
  writeFileAtomically(path, text);
}

function checkedLines(advice: string): string[] {
  const lines = advice
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const bad = lines.find(
    (line) => line.length > 300 || /^#|[\u0000-\u001f\u007f-\u009f]/.test(line),
  );
  if (lines.length >= linesMin && lines.length <= linesMax && bad === undefined) return lines;
  const fault =
    bad === undefined
      ? `${lines.length} lines came`
      : `this line does not fit: ${bad.slice(0, 60)}`;
  throw new ConsultaError(
    "REFUSED",
    `advice has ${linesMin} to ${linesMax} plain lines without headings, each up to 300 characters; ${fault}`,
  );
}

/** Only our heading's section changes: from the heading to the next one of its level or above. */
function withSection(before: string, heading: string, lines: string[]): string {
  const section = [heading, "", ...lines, ""];
  const old = before === "" ? [] : before.replace(/\n$/, "").split("\n");
  const start = old.indexOf(heading);
  if (start === -1)
    return [...old, ...(old.length > 0 && old.at(-1) !== "" ? [""] : []), ...section].join("\n");
  const next = old.findIndex((line, index) => index > start && /^#{1,2}\s/.test(line));
  const rest = next === -1 ? [] : old.slice(next);
  return [...old.slice(0, start), ...section, ...rest, ...(rest.length > 0 ? [""] : [])].join("\n");
}
