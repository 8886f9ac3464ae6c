import { inline, isRecord, parseJson, valueIn } from "../base/json.ts";
import { lastObject } from "../base/last-object.ts";
import { durationText, isoSecond } from "../base/time.ts";
import type { DriverProfile, FailureKind, Selector } from "../clis/driver-profile.ts";
import { commonFailures } from "../clis/known-drivers.ts";
import { shortLine } from "../clis/output-line.ts";
import { quotaRenewal } from "../clis/quota-renewal.ts";
import { runLimits } from "../clis/run-limits.ts";
import type { ProcessEnd } from "../clis/run-process.ts";
import { ownSettingsFile } from "../clis/user-settings.ts";

/** What a CLI printed, read as its profile says. */
export interface ReadOutput {
  /** Absent when it printed none. */
  readonly answer?: string | undefined;
  readonly conversation?: string | undefined;
  /** Why it failed, in its own words. */
  readonly error?: string | undefined;
  /** It kept a tool from its model. */
  readonly refused: boolean;
}

/** Reads the answer out of what a CLI printed on stdout, or its error. */
export function readOutput(profile: DriverProfile, stdout: string): ReadOutput {
  if (profile.output === "text") return { answer: stdout, refused: false };
  const found = profile.output === "json" ? wholeOutput(profile, stdout) : outputLines(stdout);
  const isCut = profile.output === "json_lines" && lastLineIsCut(stdout);
  const error = profile.error.map((it) => select(found, it)).find((it) => it !== undefined);
  const conversation = select(found, profile.conversation);
  return {
    // What came before the cut is not the answer.
    answer: isCut ? undefined : textOf(select(found, profile.answer)),
    conversation: typeof conversation === "string" ? conversation : undefined,
    error: error === undefined ? undefined : (textOf(error) ?? "it gave no reason"),
    refused: profile.rejected.some((it) => isSomething(select(found, it))),
  };
}

/** The one object that holds what the profile looks for: all of stdout, or what stands last in it. */
function wholeOutput(profile: DriverProfile, stdout: string): unknown[] {
  const { answer, error, conversation } = profile;
  const knows = (value: unknown) =>
    isRecord(value) &&
    [answer, ...error].some((it) => select([value], it) !== undefined) &&
    (conversation === undefined || select([value], conversation) !== undefined);
  const whole = parseJson(stdout);
  return [knows(whole) ? whole : lastObject(stdout, knows)];
}

/** One object a line; a line that is none, such as a log's or one that was cut off, says nothing. */
function outputLines(stdout: string): unknown[] {
  return stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [parseJson(line)] : []));
}

function lastLineIsCut(stdout: string): boolean {
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  return last.startsWith("{") && parseJson(last) === undefined;
}

function select(objects: readonly unknown[], selector: Selector | undefined): unknown {
  if (selector === undefined) return undefined;
  const { from, when = new Map(), take } = selector;
  const found = objects.flatMap((object) => {
    const fits = [...when].every(([path, value]) => at(object, path) === value);
    const value = fits ? at(object, from) : undefined;
    return value === undefined || value === null ? [] : [value];
  });
  return take === "all" && found.length > 0 ? found.map(textOf).join("\n\n") : found.at(-1);
}

function at(object: unknown, path: string): unknown {
  return valueIn(object, ...path.split("."));
}

const messageLevelsMax = 8;

/** A text, or the one in the messages of an error, which may hold another. */
function textOf(value: unknown): string | undefined {
  let inner = value;
  for (let level = 0; level < messageLevelsMax && isRecord(inner); level += 1) {
    inner = inner["message"];
  }
  return typeof inner === "string" ? inner : undefined;
}

function isSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== false && value !== 0 && value !== "";
}

/** What to tell the user, and whether only the user can fix it. */
export interface FailureText {
  readonly failure: string;
  readonly left: boolean;
  /** When the quota that it has used up is renewed, where it says so. */
  readonly renewedAt?: Date | undefined;
}

/**
 * Says in one line what the failure of a turn means and what to do about it: by what the CLI `said` of it, for the
 * user, and by what its process printed, of its output as much as `printed` holds.
 */
export function explainFailure(
  profile: DriverProfile,
  said: string,
  { stopped, stderr, exitCode }: ProcessEnd,
  printed = "",
): FailureText {
  // Of a turn that was stopped the last lines count: before, it may have helped itself.
  const errors = stopped === undefined ? stderr : stderr.trimEnd().split("\n").slice(-2).join("\n");
  const all = `${said}\n${printed}\n${errors}`;
  const known = [...profile.failures, ...commonFailures].find(
    ({ exit, text }) =>
      (exit === undefined || (stopped === undefined && exit === exitCode)) &&
      (text === undefined || text.test(all)),
  );
  const { means = "failed", advice, text } = known ?? {};
  if (means === "failed") {
    const more = advice === undefined ? "" : `; ${advice}`;
    return { failure: shortLine(`${said}${more}`), left: false };
  }
  const renewedAt = means === "quota" ? quotaRenewal(all, new Date()) : undefined;
  const way = renewedAt === undefined ? advice : renewalText(renewedAt);
  // What shows it may stand only in what was printed beside.
  const line = text?.test(said) === false && all.split("\n").findLast((it) => text.test(it));
  const shown = line ? inline(line, runLimits.quotedReasonCharacters) : said;
  const words = shortLine(shown, runLimits.quotedReasonCharacters);
  const told = `${explanations[means](profile, way)} (${words})`;
  return { failure: shortLine(told, runLimits.adviceCharacters), left: true, renewedAt };
}

function renewalText(at: Date): string {
  const seconds = Math.max(0, Math.round((at.getTime() - Date.now()) / 1_000));
  return `it is renewed at ${isoSecond(at.getTime())}, in ${durationText(seconds)}, and --wait-for-quota goes on by itself`;
}

type Explanation = (profile: DriverProfile, advice: string | undefined) => string;

const explanations: Record<Exclude<FailureKind, "failed">, Explanation> = {
  signed_out: ({ name, sign_in: signIn }, advice) =>
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
