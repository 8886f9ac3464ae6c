import { join } from "node:path";
import { refused } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { lineDiff } from "../base/line-diff.ts";
import { readFileIfPresent, writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync, realpathSync } from "../files/disk.ts";
import { resolveProjectFile } from "../files/safe-path.ts";
import type { Workspace } from "../session/workspace/workspace.ts";

/** A change to the memory file of a peer's CLI; the user sees the diff before it is made. */
export interface Advice {
  readonly path: string;
  readonly diff: string;
  readonly text: string;
}

const memoryFiles = new Map([
  ["claude", "CLAUDE.md"],
  ["gemini", "GEMINI.md"],
]);
const commonFile = "AGENTS.md";
const adviceLinesMax = 8;
const lineCharactersMax = 300;

/**
 * Proposes advice for a peer, under a heading of its own in the memory file of the peer's CLI (seed 000,
 * mutual mentoring): returns the changed text and its diff, and writes nothing; see `applyAdvice`.
 * @throws ConsultaError REFUSED when the advice is not 1 to 8 plain lines.
 */
export function proposeAdvice(
  workspace: Workspace,
  from: string,
  to: string,
  advice: string,
): Advice {
  const name = writtenFile(workspace.project, memoryFiles.get(to) ?? commonFile);
  const path = resolveProjectFile(workspace.project, name);
  const heading = `## Advice from colleague ${from.slice(0, 1).toUpperCase()}${from.slice(1)}`;
  const before = readFileIfPresent(path, limits.messageBytes) ?? "";
  const text = withSection(before, heading, checkedLines(advice));
  return { path, diff: lineDiff(name, before, text), text };
}

export function applyAdvice({ path, text }: Advice): void {
  writeFileAtomically(path, text);
}

/** The memory file of one CLI may be a link to that of another. */
function writtenFile(project: string, name: string): string {
  const path = join(project, name);
  if (!existsSync(path)) return name;
  const real = realpathSync(path);
  const all = [...memoryFiles.values(), commonFile];
  return all.find((it) => join(realpathSync(project), it) === real) ?? name;
}

function checkedLines(advice: string): string[] {
  const lines = advice
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const bad = lines.find(
    (line) => line.length > lineCharactersMax || /^#|[\u0000-\u001f\u007f-\u009f]/.test(line),
  );
  if (lines.length > 0 && lines.length <= adviceLinesMax && bad === undefined) return lines;
  const fault =
    bad === undefined
      ? `${lines.length} lines came`
      : `this line does not fit: ${bad.slice(0, 60)}`;
  throw refused(
    `advice has 1 to ${adviceLinesMax} plain lines without headings, each up to ${lineCharactersMax} characters; ${fault}`,
  );
}

/**
 * Adds lines to the section of our heading, which ends at the next heading of its level or above; where
 * there is no such heading, adds a section at the end. Nothing is taken out, and a line that the section
 * has already is not added again.
 */
function withSection(before: string, heading: string, lines: string[]): string {
  const old = before === "" ? [] : before.replace(/\n$/, "").split("\n");
  const start = old.findIndex((line) => line.trimEnd() === heading);
  if (start === -1) {
    const gap = old.length > 0 && old.at(-1) !== "" ? [""] : [];
    return [...old, ...gap, heading, "", ...lines, ""].join("\n");
  }
  const next = old.findIndex((line, index) => index > start && /^#{1,2}\s/.test(line));
  const end = next === -1 ? old.length : next;
  const section = old.slice(start, end).map((line) => line.trimEnd());
  const added = lines.filter((line) => !section.includes(line));
  if (added.length === 0) return before;
  const lastLine = start + section.findLastIndex((line) => line !== "");
  const upToSection = old.slice(0, lastLine + 1);
  const rest = old.slice(end);
  return [...upToSection, "", ...added, "", ...rest, ...(rest.length > 0 ? [""] : [])].join("\n");
}
