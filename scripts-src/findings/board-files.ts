import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { namesIn, readFileIfPresent } from "../files/atomic-file.ts";
import { isRealFolder } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
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

/** The same with what it says. */
export interface FoundReport extends BoardFile {
  /** Undefined where nobody can read it. */
  readonly text: string | undefined;
  /** Why it cannot be read, or that it says nothing. */
  readonly fault: string | undefined;
  /** Of the text; "" where there is none. */
  readonly sha256: string;
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

/** A finding as reports refer to it: `agent/NN-topic.md`. */
export function findingName({ agent, file }: Pick<BoardFile, "agent" | "file">): string {
  return `${agent}/${file}`;
}

/** All findings of a board. */
export function findingNames(place: Place): string[] {
  return reportsOf(place, authorsIn(place)).map(findingName);
}

/** Reads a report; one that nobody may read must not hide the others. */
export function readReport(it: BoardFile): FoundReport {
  const unread = { ...it, text: undefined, sha256: "" };
  try {
    const text = readFileIfPresent(it.path, limits.messageBytes);
    if (text === undefined) return { ...unread, fault: "is gone" };
    const fault = text.trim() === "" ? "is empty" : undefined;
    return { ...it, text, fault, sha256: sha256(text) };
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return { ...unread, fault: cause.fault ?? cause.message };
  }
}

/** Where the agent of a board writes its next report. */
export function reportFile(place: Place, agent: string): string {
  const written = reportsOf(place, [agent]).filter(({ file }) => numberOf(file) !== undefined);
  return draftFileAt(place, agent, written.length + 1, "md");
}
