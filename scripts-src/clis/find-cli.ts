import { existsSync } from "../files/disk.ts";
import type { Environment } from "../files/environment.ts";
import { type DriverProfile, type SignInMark, variablesOf } from "./driver-profile.ts";
import { commandOf, expandPath, findCliProgram } from "./find-program.ts";
import { shortLine } from "./output-line.ts";
import { passedVariables } from "./passed-variables.ts";
import { runLimits } from "./run-limits.ts";
import { runProcess } from "./run-process.ts";

/** What can be said about a CLI without asking a model anything. */
export interface FoundCli {
  readonly profile: DriverProfile;
  /** Where the program is; absent when it is not installed. */
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

/** Looks where a CLI is, which version it is, and whether somebody looks signed in. */
export async function findCli(
  profile: DriverProfile,
  environment: Environment,
  folder: string,
): Promise<FoundCli> {
  const program = findCliProgram(profile.command, environment, folder);
  const version =
    program === undefined ? undefined : await versionOf(profile, program, environment, folder);
  return { profile, program, version, ...signInOf(profile, environment) };
}

async function versionOf(
  profile: DriverProfile,
  program: string,
  environment: Environment,
  folder: string,
): Promise<string | undefined> {
  const { exitCode, stdout } = await ask(profile, program, profile.version, environment, folder);
  const line = shortLine(stdout.trim().split("\n")[0] ?? "");
  return exitCode === 0 && line !== "" ? line : undefined;
}

/**
 * Whether nobody is certainly signed in to a CLI: by what the CLI itself says, where no file or
 * variable shows a sign-in.
 */
export async function isSignedOut(
  profile: DriverProfile,
  program: string,
  environment: Environment,
  folder: string,
): Promise<boolean> {
  const { signedIn } = signInOf(profile, environment);
  const { sign_in_check: signInCheck } = profile;
  if (signedIn !== "unknown" || signInCheck === undefined) return signedIn === "no";
  const { stdout } = await ask(profile, program, signInCheck.arguments, environment, folder);
  return signInCheck.signed_out.test(stdout);
}

/** Runs a CLI for what it says without its model. */
function ask(
  profile: DriverProfile,
  program: string,
  words: readonly string[],
  environment: Environment,
  folder: string,
) {
  const request = {
    ...commandOf(program, words),
    folder,
    environment: {
      ...passedVariables(environment, variablesOf(profile)),
      ...ownVariables(profile.environment, environment),
    },
    input: "",
    timeoutMs: versionTimeoutMs,
    bounds: runLimits,
  };
  return runProcess(request, new AbortController().signal);
}

/** What shows that the user of a CLI is signed in, as far as files and variables tell. */
function signInOf({ signs, keyring }: DriverProfile, environment: Environment) {
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
  const path = file === undefined ? undefined : expandPath(file, environment);
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** The variables of a profile, with paths that begin at home written out. */
export function ownVariables(
  own: ReadonlyMap<string, string>,
  environment: Environment,
): Environment {
  const entries = [...own].map(([name, value]) =>
    value.startsWith("~/") ? [name, expandPath(value, environment)] : [name, value],
  );
  return Object.fromEntries(entries);
}
