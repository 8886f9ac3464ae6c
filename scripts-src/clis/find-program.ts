import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { type Environment, homeFolder, isHome } from "../files/home-folder.ts";
import { isWithin } from "../files/safe-path.ts";

/**
 * The file of a program; undefined where there is none. A command without a slash is looked for on PATH, where
 * folders that are relative or inside one of `projects` are skipped, so that no project can supply the program.
 * A command with a slash is a path and is not checked against `projects`: its caller decides whether it may name
 * one.
 */
export function findProgram(
  command: string,
  environment: Environment,
  ...projects: readonly string[]
): string | undefined {
  const given = expandPath(command, environment) ?? command;
  if (/[/\\]/.test(given)) return isProgram(given) ? given : undefined;
  const onWindows = process.platform === "win32";
  const endings = onWindows ? (environment["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  const path = environment["PATH"] ?? environment["Path"] ?? "";
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder) || projects.some((it) => isOfProject(folder, it))) continue;
    for (const ending of endings) {
      const file = join(folder, `${command}${ending.toLowerCase()}`);
      if (isProgram(file)) return file;
    }
  }
  return undefined;
}

/**
 * The program of an AI CLI. Where no PATH names it, it may be where its own installer puts it: its user has an
 * alias for that, or a terminal with another PATH.
 */
export function findCliProgram(
  command: string,
  environment: Environment,
  ...projects: readonly string[]
): string | undefined {
  const found = findProgram(command, environment, ...projects);
  if (found !== undefined || /[/\\]/.test(command)) return found;
  const places = ["~/.local/bin", `~/.${command}/local`, `~/.${command}/bin`];
  const PATH = places.map((it) => expandPath(it, environment)).join(delimiter);
  return findProgram(command, { ...environment, PATH }, ...projects);
}

/** The home folder, as the root, is nobody's project: programs of the user's own lie below it. */
export function isOfProject(folder: string, project: string): boolean {
  return !isHome(project) && dirname(project) !== project && isWithin(folder, project);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A path that begins at home (`~/`) or where a variable says (`$NAME/`); nothing when it says nothing. */
export function expandPath(path: string, environment: Environment): string | undefined {
  const [, variable, below = ""] = /^\$(\w+)\/(.*)$/.exec(path) ?? [];
  if (variable !== undefined) {
    const folder = environment[variable] ?? "";
    return folder === "" ? undefined : join(folder, below);
  }
  return path.startsWith("~/") ? join(homeFolder(environment), path.slice(2)) : path;
}

/** A batch file is what npm installs on Windows; its shell wants words with blanks quoted. */
export function commandOf(program: string, words: readonly string[]) {
  const shell = /\.(?:cmd|bat)$/i.test(program);
  if (!shell) return { command: program, arguments: words, shell };
  const quoted = words.map((word) => (/[\s"]/.test(word) ? `"${word}"` : word));
  return { command: `"${program}"`, arguments: quoted, shell };
}
