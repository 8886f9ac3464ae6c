import { basename, join } from "node:path";
import { type ConsultaError, type OwnExitCode, refused } from "../base/errors.ts";
import { visibleText } from "../base/visible-text.ts";
import { existsSync, lstatSync } from "../files/disk.ts";
import type { Arguments } from "../script/arguments.ts";
import { commandLine, pathFromHere, type Word } from "../script/command-line.ts";
import { kindWithoutLog } from "../session/kinds.ts";
import { absolutePath, type Place, placeToMake, readersProject } from "../session/place.ts";
import { lookWhileMade, youngMs } from "../session/wait-for-creation.ts";
import { projectFolder } from "../session/workspace/workspace.ts";
import type { BoardAuthor } from "./record-findings.ts";

/** Seed 004: what tells the usage of a board's scripts from their refusals. */
export const usageExit: OwnExitCode = {
  exit: 1,
  failures: ["USAGE"],
  advice: "wrong usage: words are missing or too many; nothing was written",
};

export const notRegisteredExit: OwnExitCode = {
  exit: 1,
  failures: ["USAGE", "NOT_YET"],
  advice: "you are not registered, or words are missing or too many",
};

/** What every script of a board begins with: `<dir> <name>`. */
export interface BoardArguments extends BoardAuthor {
  /** The folder as it was given. */
  readonly dir: string;
  readonly place: Place;
}

/**
 * The board and the agent that the first two words of a command line name.
 * @throws ConsultaError REFUSED, for the reason "no board", when there is no such folder or it holds none.
 */
export async function boardOf(args: Arguments): Promise<BoardArguments> {
  const [dir = "", name = ""] = args.positionals;
  requirePath(dir);
  const place = placeToMake(dir);
  if (!(await isWholeBoard(place.folder))) throw noBoard(dir, elsewhere(place));
  return { dir, name, place, project: readersProject(place), base: process.cwd() };
}

/** What to run next on the same board. */
export function boardLine(
  { dir, name }: Pick<BoardArguments, "dir" | "name">,
  script: string,
  ...words: Word[]
): string {
  return commandLine(script, {}, [{ path: dir }, name, ...words]);
}

/** Where the board is that a name was meant for: among the sessions of the project. */
function elsewhere({ folder, workspace }: Place): string | undefined {
  if (existsSync(folder)) return undefined;
  const project = workspace?.project ?? projectFolder(process.cwd());
  const inWorkspace = join(project, ".consulta", "sessions", basename(folder));
  const isBoard = kindWithoutLog(inWorkspace) === "findings";
  return isBoard ? `it is in ${pathFromHere(inWorkspace)}` : undefined;
}

/** @throws ConsultaError REFUSED for a path of nothing, which would mean the folder one is in. */
export function requirePath(path: string): void {
  if (path.trim() !== "") return;
  const reason = "no board";
  const text = `no board at "${path}": it names no folder; give the path of the board's folder`;
  throw refused(text, { reason });
}

/** The one answer of every script to a folder that is no board. */
export function noBoard(path: string, elsewhere?: string): ConsultaError {
  const named = visibleText(path);
  const isThere = existsSync(absolutePath(path));
  const lacks = isThere ? "meta.md or agents.md is missing" : "there is no such folder";
  const init = commandLine("init", {}, [isThere ? "DIR" : { path }, "N"]);
  const way = `name the board's folder, or make one for N agents${isThere ? " in a new folder" : ""}: ${init}`;
  const text = `no board at ${named}: ${lacks}; ${elsewhere ?? way}`;
  return refused(text, { reason: "no board" });
}

/** Whether a board is there; one that somebody is making right now is waited for: an original makes the folder first. */
export async function isWholeBoard(folder: string): Promise<boolean> {
  const look = () => kindWithoutLog(folder) === "findings" || undefined;
  return (await lookWhileMade(() => isYoung(folder), look)) === true;
}

function isYoung(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    return found?.isDirectory() === true && Date.now() - found.mtimeMs < youngMs;
  } catch {
    // Behind a file, too long to be a name: nothing is there, whatever the reason.
    return false;
  }
}
