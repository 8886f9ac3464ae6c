import { basename, dirname, join, resolve, sep } from "node:path";
import { shellWord } from "../base/quote-text.ts";
import { existsSync } from "../files/disk.ts";
import { homeOrNone, isHome } from "../files/home-folder.ts";
import { isSharingAllowed } from "../files/ownership.ts";
import type { Arguments } from "./arguments.ts";

/** A word of a command line; a path is written for the folder that the command runs in. */
export type Word = string | { readonly path: string };

/** An option that names a path, as the running script had it. */
export function givenPath(args: Arguments, option: string): Word | undefined {
  const path = args.one(option);
  return path === undefined ? undefined : { path };
}

/** Where a command line is typed, and how paths are written there. */
export interface Reader {
  /** The folder with the scripts that it runs. */
  readonly scripts: string;
  /** The folder that it goes to first. */
  readonly goTo?: string;
  readonly pathOf: (path: string) => string;
}

const ownScripts = () => resolve(dirname(process.argv[1] ?? "."));

/**
 * For the shell that runs this script. The rules of Claude Code name a script by its path from the project's
 * root, and its shell stays where it went: where that is below the root, a command goes back there, which
 * Claude Code permits. In Gemini CLI each command begins at the root; the shells of others have no rules.
 */
export function readerHere(scripts = ownScripts()): Reader {
  const { CLAUDECODE, GEMINI_CLI } = process.env;
  const isInClaude = CLAUDECODE !== undefined && GEMINI_CLI === undefined;
  const goTo = isInClaude ? rootAbove(process.cwd(), scripts) : undefined;
  if (goTo === undefined) return readerAtPlace(scripts);
  return { scripts, goTo, pathOf: (path) => pathFrom(goTo, absolute(path)) };
}

/** For the same shell, where words that nobody has read may be paths: it stays in its folder. */
export function readerAtPlace(scripts = ownScripts()): Reader {
  return { scripts, pathOf: pathFromHere };
}

/** For a reader who may be in any folder. */
export function readerAnywhere(): Reader {
  return { scripts: ownScripts(), pathOf: (path) => path };
}

/** For the user of another machine, in a clone of the project: what lies in the home here does so there. */
export function readerInClone(project: string): Reader {
  const home = homeOrNone();
  const pathOf = (path: string) => {
    // In containers everything is below the home.
    const inHome = home === undefined || home === sep ? undefined : pathBelow(path, home);
    return pathBelow(path, project) ?? (inHome === undefined ? path : `~/${inHome}`);
  };
  return { scripts: ownScripts(), pathOf };
}

/** The command that runs a script: its words, then its options. */
export function commandLine(
  script: string,
  options: Readonly<Record<string, Word | undefined>>,
  words: readonly Word[] = [],
  reader = readerHere(),
): string {
  const { scripts, goTo, pathOf } = reader;
  const written = (word: Word) => {
    const text = typeof word === "string" ? word : pathOf(word.path);
    // A shell knows the home by a ~ outside of quotes.
    const isInHome = typeof word !== "string" && text.startsWith("~/");
    return isInHome ? `~/${shellWord(text.slice(2))}` : shellWord(text);
  };
  const [file = "", ...more] = programOf(scripts, script);
  const line = ["node", ...[{ path: file }, ...more, ...words].map(written)];
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) line.push(`--${name}`, written(value));
  }
  if (isSharingAllowed() && script !== "hook") line.push("--allow-shared");
  const there = goTo === undefined ? [] : ["cd", shellWord(goTo), "&&"];
  return [...there, ...line].join(" ");
}

/** What runs a script: a skill has those that its text names under these names, the others by `run.cjs`. */
export function programOf(scripts: string, script: string): string[] {
  const own = join(scripts, `${script}.cjs`);
  const runner = join(scripts, "run.cjs");
  return existsSync(own) || !existsSync(runner) ? [own] : [runner, script];
}

/** A path below the current folder as one finds it from there, any other as it is. */
export function pathFromHere(path: string): string {
  return pathFrom(process.cwd(), path);
}

function pathFrom(folder: string, path: string): string {
  return path === folder ? "." : (pathBelow(path, folder) ?? path);
}

function pathBelow(path: string, folder: string): string | undefined {
  const inside = folder.endsWith(sep) ? folder : `${folder}${sep}`;
  // Windows writes one folder with small letters or large ones.
  const [whole, start] =
    process.platform === "win32" ? [path.toLowerCase(), inside.toLowerCase()] : [path, inside];
  const near = path.slice(inside.length).split(sep).join("/");
  // A folder of that name is not the home.
  return whole.startsWith(start) && !near.startsWith("~/") ? near : undefined;
}

function absolute(path: string): string {
  return path.startsWith("~/") ? path : resolve(path);
}

/**
 * The folder whose `.claude/skills`, `.agents/skills` or `skills` holds these scripts, where `here` is below it
 * and in the same project. Skills in the home are no project's.
 */
function rootAbove(here: string, scripts: string): string | undefined {
  const skills = dirname(dirname(scripts));
  if (basename(scripts) !== "scripts" || basename(skills) !== "skills") return undefined;
  const holder = dirname(skills);
  const root = basename(holder).startsWith(".") ? dirname(holder) : holder;
  const between = pathBelow(here, root)?.split("/") ?? [];
  const folders = between.map((_, depth) => join(root, ...between.slice(0, depth + 1)));
  const isOther = (folder: string) =>
    [".git", ".consulta"].some((name) => existsSync(join(folder, name)));
  return between.length === 0 || isHome(root) || folders.some(isOther) ? undefined : root;
}
