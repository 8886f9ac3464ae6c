import { existsSync } from "../files/disk.ts";
import type { Environment } from "../files/home-folder.ts";
import { type DriverProfile, variablesOf } from "./driver-profile.ts";
import { commandOf, expandPath, findCliProgram } from "./find-program.ts";
import { shortLine } from "./output-line.ts";
import { passedVariables, withoutParentCli } from "./passed-variables.ts";
import { runLimits } from "./run-limits.ts";
import { type ProcessRequest, runProcess } from "./run-process.ts";
import { readPassedNames } from "./user-settings.ts";

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
  const found = { profile, program, ...signInOf(profile, environment) };
  if (program === undefined) return { ...found, version: undefined };
  const { exitCode, stdout } = await askCli(profile, program, environment, folder, {
    words: profile.version,
  });
  const line = shortLine(stdout.trim().split("\n")[0] ?? "");
  return { ...found, version: exitCode === 0 && line !== "" ? line : undefined };
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
  const { stdout } = await askCli(profile, program, environment, folder, {
    words: signInCheck.arguments,
  });
  return signInCheck.signed_out.test(stdout);
}

interface Question extends Partial<Pick<ProcessRequest, "input" | "timeoutMs">> {
  readonly words: readonly string[];
}

/** What a CLI is given of the user's environment: what every program needs, what is listed for it, and what the user lists. */
export async function passedTo(
  profile: DriverProfile | undefined,
  environment: Environment,
): Promise<Environment> {
  const listed = profile === undefined ? [] : variablesOf(profile);
  const names = [...listed, ...(await readPassedNames(environment))];
  return passedVariables(withoutParentCli(environment), names);
}

/** Runs a CLI for what it says without its model. */
export async function askCli(
  profile: DriverProfile,
  program: string,
  environment: Environment,
  folder: string,
  { words, input = "", timeoutMs = versionTimeoutMs }: Question,
) {
  const request = {
    ...commandOf(program, words),
    folder,
    environment: {
      ...(await passedTo(profile, environment)),
      ...ownVariables(profile.environment, environment),
    },
    ...{ input, timeoutMs },
    bounds: runLimits,
  };
  return runProcess(request, new AbortController().signal);
}

/** What shows that the user of a CLI is signed in, as far as files and variables tell. */
function signInOf(
  { signs, keyring }: DriverProfile,
  environment: Environment,
): Pick<FoundCli, "signedIn" | "sign" | "note"> {
  for (const { environment: name, file, note } of signs) {
    const isSet = name !== undefined && (environment[name] ?? "") !== "";
    const path = file === undefined ? undefined : expandPath(file, environment);
    const found = path !== undefined && existsSync(path) ? path : undefined;
    const sign = isSet ? `${name} is set` : found;
    if (sign !== undefined) return { signedIn: "yes", sign, note };
  }
  const signedIn = keyring || signs.length === 0 ? "unknown" : "no";
  return { signedIn, sign: undefined, note: undefined };
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
