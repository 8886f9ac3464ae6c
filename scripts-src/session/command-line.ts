import { dirname, resolve, sep } from "node:path";
import { shellWord } from "../base/quote.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { isSharingAllowed } from "../files/own-folder.ts";
import type { Arguments } from "../script/arguments.ts";
import type { Place } from "./place.ts";

/** How an absolute path is printed. */
export type PathWriter = (path: string) => string;

/** Relative below the current folder: that is the form in which users permit a command in advance. */
export const pathFromHere: PathWriter = (path) => {
  const here = process.cwd();
  if (path === here) return "";
  return pathBelow(path, here) ?? path;
};

/** For the user of another machine, in a clone of the project: what lies in the home here does so there. */
export const pathFromClone = (project: string): PathWriter => {
  const home = homeOrNone();
  return (path) => {
    // In containers everything is below the home.
    const inHome = home === undefined || home === sep ? undefined : pathBelow(path, home);
    return pathBelow(path, project) ?? (inHome === undefined ? path : `~/${inHome}`);
  };
};

function pathBelow(path: string, folder: string): string | undefined {
  const inside = folder.endsWith(sep) ? folder : `${folder}${sep}`;
  const near = path.slice(inside.length).split(sep).join("/");
  // A folder of that name is not the home.
  return isBelow(path, inside) && !near.startsWith("~/") ? near : undefined;
}

/** Windows writes one folder with small letters or large ones. */
function isBelow(path: string, folder: string): boolean {
  if (process.platform !== "win32") return path.startsWith(folder);
  return path.toLowerCase().startsWith(folder.toLowerCase());
}

/** For a reader who may be in any folder. */
export const pathFromAnywhere: PathWriter = (path) => path;

/**
 * The command line that runs a script, of the running script's own folder unless another is given:
 * its words, then its options.
 */
export function commandLine(
  script: string,
  options: Record<string, string | undefined>,
  positionals: readonly string[] = [],
  pathOf = pathFromHere,
  scripts = dirname(process.argv[1] ?? "."),
): string {
  const file = resolve(scripts, `${script}.cjs`);
  const words = ["node", pathWord(pathOf(file)), ...positionals.map(shellWord)];
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) words.push(`--${name}`, shellWord(value));
  }
  if (isSharingAllowed() && script !== "hook") words.push("--allow-shared");
  return words.join(" ");
}

/** A shell knows the home by a ~ outside of quotes. */
function pathWord(path: string): string {
  return path.startsWith("~/") ? `~/${shellWord(path.slice(2))}` : shellWord(path);
}

/** The line that runs another script on a session, which a command line named or led to. */
export function lineFor(args: Arguments, script: string, { id, folder, workspace }: Place): string {
  const where =
    workspace === undefined
      ? { folder: args.one("folder") ?? (pathFromHere(folder) || ".") }
      : { workspace: args.one("workspace"), session: id };
  return commandLine(script, where);
}

/** The commands that check a session; only a dialogue rests on records that can be made again. */
export function checkCommands(args: Arguments, place: Place, kind: string) {
  const validate = lineFor(args, "validate", place);
  if (kind !== "dialogue") return { validate };
  return { validate, replay: `${lineFor(args, "check", place)} --replay` };
}
