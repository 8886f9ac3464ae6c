import { inline } from "../base/json.ts";
import { withoutSecrets } from "../base/secrets.ts";
import { type DriverProfile, variablesOf } from "../clis/driver-profile.ts";
import { ownVariables } from "../clis/find-cli.ts";
import { commandOf } from "../clis/find-program.ts";
import { runLimits } from "../clis/run-limits.ts";
import { type ProcessEnd, runProcess } from "../clis/run-process.ts";
import { readPassedNames } from "../clis/user-settings.ts";
import type { Environment } from "../files/environment.ts";
import { childEnvironment, processResult } from "./command-driver.ts";
import { type Driver, machineTries, type Turn, type TurnResult } from "./driver.ts";
import { explainFailure } from "./explain-failure.ts";
import { placePrompt } from "./place-prompt.ts";
import { readOutput } from "./read-output.ts";

/** Runs a CLI headless, as its profile says; `program` is where it was found. */
export function vendorDriver(
  profile: DriverProfile,
  program: string,
  environment: Environment,
): Driver {
  return {
    name: profile.name,
    triesMax: machineTries,
    async takeTurn(turn, signal) {
      const words = [...profile.arguments, ...resumeWords(profile, turn)];
      // What a vendor's CLI is given leaves the machine. A peer could stop the session with a made-up
      // key if the turn was refused over it.
      const prompt = withoutSecrets(turn.prompt);
      const placed = placePrompt(profile.input, words, prompt, program);
      if ("fault" in placed) {
        return { answer: "", exitCode: 1, failure: `${profile.name}: ${placed.fault}`, left: true };
      }
      try {
        const names = [...variablesOf(profile), ...(await readPassedNames(environment))];
        const request = {
          ...commandOf(program, placed.words),
          folder: turn.project,
          environment: {
            ...childEnvironment(environment, turn, names),
            ...ownVariables(profile.environment, environment),
          },
          input: placed.input,
          timeoutMs: turn.timeoutMs,
          bounds: runLimits,
        };
        return readEnd(profile, turn, await runProcess(request, signal));
      } finally {
        placed.discard();
      }
    },
  };
}

/** The name of a conversation came out of the CLI: only what looks like one goes back in. */
function resumeWords({ resume: words }: DriverProfile, { resume }: Turn): string[] {
  if (resume === undefined || !/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(resume)) return [];
  return words.map((word) => word.replaceAll("{conversation}", resume));
}

function readEnd(profile: DriverProfile, turn: Turn, end: ProcessEnd): TurnResult {
  const base = processResult(profile.name, turn, end);
  if (end.unstarted !== undefined || end.stopped === "aborted" || end.stopped === "output")
    return { ...base, answer: "" };
  const { answer, conversation, error, refused, tokens } = readOutput(profile, end);
  // What a CLI gives as its answer when it failed is why.
  const result = {
    ...base,
    answer: answer === error ? "" : (answer ?? ""),
    resume: conversation,
    tokens,
  };
  const remark = refused ? refusedTools : undefined;
  const said =
    end.stopped === undefined && error !== undefined
      ? `failed: ${inline(error, runLimits.quotedReasonCharacters)}`
      : undefined;
  if (said === undefined && base.failure === undefined && answer !== undefined)
    return { ...result, remark };
  // Of a turn that was stopped only the last words count: before them it may have helped itself.
  const errors = end.stopped === undefined ? end.stderr : lastLines(end.stderr);
  const failure = {
    said: said === undefined ? (base.failure ?? noAnswer(profile, end)) : `${profile.name} ${said}`,
    printed: profile.output === "text" ? `${end.stdout.slice(-4_000)}\n${errors}` : errors,
    exitCode: end.stopped === undefined ? end.exitCode : undefined,
  };
  return { ...result, ...explainFailure(profile, failure), remark };
}

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-2).join("\n");
}

const refusedTools =
  "tools that you called were rejected, and will be: you may only read here; answer in words, with the block in them";

function noAnswer({ name, answer, output }: DriverProfile, { stdout }: ProcessEnd): string {
  const cut = stdout.trim() === "" ? "" : ": what it printed is cut off or something else";
  const form = output === "json" ? "JSON" : "line of JSON";
  return `${name} printed no ${form} with the field ${answer?.from}${cut}`;
}
