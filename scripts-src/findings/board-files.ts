import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { namesIn, readFileIfPresent } from "../files/atomic-file.ts";
import { isRealFolder } from "../files/disk.ts";
import { safeJoin } from "../files/safe-path.ts";
import type { Place } from "../session/place.ts";
import { draftFileAt } from "../session/text/draft-files.ts";
import { numberOf } from "./rules/board-names.ts";

/** A report as it is on the board. */
export interface BoardFile {
  readonly agent: string;
  /** Its name: `01-topic.md`. */
  readonly file: string;
  readonly path: string;
}

/** The reports of some agents, in the order of agents and names. */
export function reportsOf({ folder }: Place, agents: readonly string[]): BoardFile[] {
  return agents.flatMap((agent) => {
    const own = safeJoin(folder, "findings", agent);
    return namesIn(own)
      .filter((name) => name.endsWith(".md") && !name.startsWith("."))
      .sort()
      .map((file) => ({ agent, file, path: join(own, file) }));
  });
}

/** Everybody who has a folder for reports on the board, registered or not. Links lead elsewhere. */
export function authorsIn({ folder }: Place): string[] {
  const findings = safeJoin(folder, "findings");
  return namesIn(findings)
    .filter((name) => isRealFolder(join(findings, name)))
    .sort(inBoardOrder);
}

/** As the original has it, which sorts the paths: `a-b/` comes before `a/`. */
export function inBoardOrder(one: string, other: string): number {
  return `${one}/` < `${other}/` ? -1 : 1;
}

/** The names of all findings on a board, as `agent/NN-topic.md`. */
export function findingNames(place: Place): string[] {
  return reportsOf(place, authorsIn(place)).map(({ agent, file }) => `${agent}/${file}`);
}

/** The text of a report, or why nobody can read it. */
export function readReportText(path: string): { text: string } | { fault: string } {
  try {
    const text = readFileIfPresent(path, limits.messageBytes);
    if (text === undefined) return { fault: "is gone" };
    return { text };
  } catch (cause) {
    // One report that nobody may read must not hide the others.
    if (!(cause instanceof ConsultaError)) throw cause;
    return { fault: cause.fault ?? cause.message };
  }
}

/** Where the agent of a board writes its next report. */
export function reportFile(place: Place, agent: string): string {
  const written = reportsOf(place, [agent]).filter(({ file }) => numberOf(file) !== undefined);
  return draftFileAt(place, agent, written.length + 1, "md");
}
