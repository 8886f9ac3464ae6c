import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { DriverProfile, SignInMark } from "../core/driver-profile.ts";
import type { Environment } from "./driver.ts";
import { oneLine } from "./one-line.ts";
import { homeOf } from "./read-drivers.ts";
import { runProcess } from "./run-process.ts";

/** What can be said about a CLI without asking a model anything. */
export interface FoundCli {
  readonly profile: DriverProfile;
  /** Where the program lies; absent when it is not installed. */
  readonly program: string | undefined;
  /** What it printed as its version, in one line; absent when it printed none. */
  readonly version: string | undefined;
  /** `unknown`: the system's key ring may hold the sign-in, or nothing tells. */
  readonly signedIn: "yes" | "no" | "unknown";
  /** What shows it, such as `GEMINI_API_KEY is set` or a file's path; absent where nothing does. */
  readonly sign: string | undefined;
  /** What else is to be known about that sign. */
  readonly note: string | undefined;
}

const versionTimeoutMs = 20_000;

/** Looks where a CLI lies, which version it is, and whether somebody looks signed in. */
export async function findCli(
  profile: DriverProfile,
  environment: Environment,
  folder: string,
): Promise<FoundCli> {
  const program = findProgram(profile.command, environment);
  const version =
    program === undefined ? undefined : await versionOf(profile, program, environment, folder);
  return { profile, program, version, ...signOf(profile, environment) };
}

async function versionOf(
  { version, environment: own }: DriverProfile,
  program: string,
  environment: Environment,
  folder: string,
): Promise<string | undefined> {
  const request = {
    ...commandOf(program, version),
    folder,
    environment: { ...environment, ...ownVariables(own, environment) },
    input: "",
    timeoutMs: versionTimeoutMs,
  };
  const { exitCode, stdout } = await runProcess(request, new AbortController().signal);
  const line = oneLine(stdout.trim().split("\n")[0] ?? "");
  return exitCode === 0 && line !== "" ? line : undefined;
}

function signOf({ signs, keyring }: DriverProfile, environment: Environment) {
  for (const mark of signs) {
    const sign = signIn(mark, environment);
    if (sign !== undefined) return { signedIn: "yes" as const, sign, note: mark.note };
  }
  const unknown = keyring || signs.length === 0;
  return {
    signedIn: unknown ? ("unknown" as const) : ("no" as const),
    sign: undefined,
    note: undefined,
  };
}

function signIn({ environment: name, file }: SignInMark, environment: Environment) {
  if (name !== undefined && (environment[name] ?? "") !== "") return `${name} is set`;
  const path = file === undefined ? undefined : expand(file, environment);
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** The variables of a profile, with paths that begin at home written out. */
export function ownVariables(
  own: ReadonlyMap<string, string>,
  environment: Environment,
): Environment {
  const entries = [...own].map(([name, value]) =>
    value.startsWith("~/") ? [name, expand(value, environment)] : [name, value],
  );
  return Object.fromEntries(entries);
}

/** A path that begins at home (`~/`) or where a variable says (`$NAME/`); nothing when it says nothing. */
function expand(path: string, environment: Environment): string | undefined {
  const [, variable, below = ""] = /^\$(\w+)\/(.*)$/.exec(path) ?? [];
  if (variable !== undefined) {
    const folder = environment[variable] ?? "";
    return folder === "" ? undefined : join(folder, below);
  }
  return path.startsWith("~/") ? join(homeOf(environment), path.slice(2)) : path;
}

/** Where a program lies: on PATH, as a shell would find it, or at the whole path that is given. */
export function findProgram(command: string, environment: Environment): string | undefined {
  const given = expand(command, environment) ?? command;
  if (/[/\\]/.test(given)) return isProgram(given) ? given : undefined;
  const onWindows = process.platform === "win32";
  const endings = onWindows ? (environment["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  const path = environment["PATH"] ?? environment["Path"] ?? "";
  for (const folder of path.split(delimiter)) {
    // What lies relative to the project is the project's: it must not name programs.
    if (!isAbsolute(folder)) continue;
    for (const ending of endings) {
      const file = join(folder, `${command}${ending.toLowerCase()}`);
      if (isProgram(file)) return file;
    }
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A batch file is what npm installs on Windows; its shell wants words with blanks quoted. */
export function commandOf(program: string, words: readonly string[]) {
  const shell = /\.(?:cmd|bat)$/i.test(program);
  if (!shell) return { command: program, arguments: words, shell };
  const quoted = words.map((word) => (/[\s"]/.test(word) ? `"${word}"` : word));
  return { command: `"${program}"`, arguments: quoted, shell };
}
