import { isRecord } from "../core/json.ts";
import { childEnvironment } from "./child-environment.ts";
import {
  type Driver,
  type Environment,
  machineTries,
  type Turn,
  type TurnResult,
} from "./driver.ts";
import { lastObject } from "./find-block.ts";
import { oneLine } from "./one-line.ts";
import { processResult } from "./process-result.ts";
import { type ProcessEnd, runProcess } from "./run-process.ts";
import type { VendorProfile } from "./vendor-profile.ts";

/** Runs a vendor's CLI headless, as its profile says; `program` is where it was found. */
export function vendorDriver(
  profile: VendorProfile,
  program: string,
  environment: Environment,
): Driver {
  return {
    name: profile.name,
    triesMax: machineTries,
    async takeTurn(turn, signal) {
      // A batch file is what npm installs on Windows; its shell wants words with blanks quoted.
      const shell = /\.(?:cmd|bat)$/i.test(program);
      const words = [...profile.arguments, ...resumeWords(profile, turn)];
      const request = {
        command: shell ? `"${program}"` : program,
        arguments: shell ? words.map((word) => (word.includes(" ") ? `"${word}"` : word)) : words,
        shell,
        folder: turn.project,
        environment: childEnvironment(environment, turn),
        input: turn.prompt,
        timeoutMs: turn.timeoutMs,
      };
      return readEnd(profile, turn, await runProcess(request, signal));
    },
  };
}

/** The name of a conversation came out of the CLI: only what looks like one goes back in. */
function resumeWords({ resumeFlag }: VendorProfile, { resume }: Turn): string[] {
  const safe = resume !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(resume);
  return safe ? [resumeFlag, resume] : [];
}

function readEnd(profile: VendorProfile, turn: Turn, end: ProcessEnd): TurnResult {
  const { fields, name } = profile;
  const { answer, resume, failed } = readAnswer(profile, end);
  const result = { ...processResult(name, turn, end), answer: answer ?? "", resume };
  const meaning = end.stopped === undefined ? profile.exitMeanings[end.exitCode] : undefined;
  if (meaning !== undefined) {
    return {
      ...result,
      failure: oneLine(`${name} ended with exit code ${end.exitCode}: ${meaning}`),
    };
  }
  if (failed !== undefined && end.stopped === undefined) {
    return { ...result, failure: oneLine(`${name} failed: ${failed}`) };
  }
  if (result.failure !== undefined || answer !== undefined) return result;
  return { ...result, failure: `${name} printed no JSON with the field ${fields.answer}` };
}

/** Reads the JSON that the CLI printed: an answer on stdout, or an error, for which some use stderr. */
function readAnswer({ fields }: VendorProfile, { stdout, stderr }: ProcessEnd) {
  const knows = (value: unknown) =>
    isRecord(value) && (fields.answer in value || fields.failed in value) && fields.resume in value;
  const whole = wholeJson(stdout);
  const found = knows(whole) ? whole : (lastObject(stdout, knows) ?? lastObject(stderr, knows));
  if (!isRecord(found)) return {};
  const { [fields.answer]: answer, [fields.resume]: resume, [fields.failed]: failed } = found;
  const text = typeof answer === "string" ? answer : undefined;
  return {
    answer: text,
    resume: typeof resume === "string" ? resume : undefined,
    failed: failureIn(failed, text),
  };
}

function failureIn(failed: unknown, answer: string | undefined): string | undefined {
  if (failed === undefined || failed === null || failed === false) return undefined;
  const message = isRecord(failed) ? failed["message"] : failed;
  return typeof message === "string" ? message : (answer ?? "it gave no reason");
}

function wholeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
