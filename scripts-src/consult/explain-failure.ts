import { inline } from "../base/json.ts";
import type { DriverProfile, KnownFailure } from "../clis/driver-profile.ts";
import { commonFailures } from "../clis/known-drivers.ts";
import { shortLine } from "../clis/output-line.ts";
import { runLimits } from "../clis/run-limits.ts";
import { ownSettingsFile } from "../clis/user-settings.ts";

/** A turn that failed, as far as the CLI tells. */
export interface CliFailure {
  /** What it said in so many words, for the user. */
  readonly said: string;
  /** All that it printed about it. */
  readonly printed: string;
  /** Absent where it did not end by itself. */
  readonly exitCode: number | undefined;
}

/** What to tell the user, and whether only the user can fix it. */
export interface FailureText {
  readonly failure: string;
  readonly left: boolean;
}

/** Says in one line what a failure means and what to do about it. */
export function explainFailure(profile: DriverProfile, failure: CliFailure): FailureText {
  const known = [...profile.failures, ...commonFailures].find((it) => fits(it, failure));
  const { means = "failed", advice } = known ?? {};
  if (means === "failed") {
    const more = advice === undefined ? "" : `; ${advice}`;
    return { failure: shortLine(`${failure.said}${more}`), left: false };
  }
  const said = shortLine(wordsOf(known, failure), runLimits.quotedReasonCharacters);
  const told = `${explanations[means](profile, advice)} (${said})`;
  return { failure: shortLine(told, runLimits.adviceCharacters), left: true };
}

function fits({ exit, text }: KnownFailure, { said, printed, exitCode }: CliFailure): boolean {
  if (exit !== undefined && exit !== exitCode) return false;
  return text === undefined || text.test(said) || text.test(printed);
}

/** What shows what the failure is: it may stand only in what the CLI printed beside. */
function wordsOf(known: KnownFailure | undefined, { said, printed }: CliFailure): string {
  const { text } = known ?? {};
  if (text === undefined || text.test(said)) return said;
  const line = printed.split("\n").findLast((it) => text.test(it));
  return line === undefined ? said : inline(line, runLimits.quotedReasonCharacters);
}

type Explanation = (profile: DriverProfile, advice: string | undefined) => string;

const explanations: Record<Exclude<KnownFailure["means"], "failed">, Explanation> = {
  signed_out: ({ name, signIn }, advice) =>
    `${name} is not signed in: ${advice ?? signIn ?? `sign in with ${name}`}; then go on`,
  quota: ({ name }, advice) =>
    `${name} has used up its quota, which is no vote: ${advice ?? "wait until it is renewed, or give it another account"}; then go on`,
  version: ({ name, tested, install }, advice) =>
    `${name} does not know an option of its profile, which was tested with ${tested}: ` +
    `${advice ?? (install === undefined ? "update it" : `update it: ${install}`)}, ` +
    `or correct drivers.${name}.arguments in ${ownSettingsFile}`,
  untrusted: ({ name }, advice) =>
    `${name} does not trust this folder: ${advice ?? `run ${name} here once and trust it`}`,
};
