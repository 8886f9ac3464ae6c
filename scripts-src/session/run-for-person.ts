import type { Arguments, OptionSpec, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { type StepIn, stepIn } from "./person-steps.ts";
import type { Place } from "./place.ts";
import { refuseBelowCli, runInProject } from "./run-in-project.ts";
import { jsonOption, workspaceOption } from "./session-options.ts";
import { onlyOption, onlyPlace } from "./which-session.ts";

/** A script by which a person puts something about a session on record. */
export interface PersonScript extends Omit<ScriptSpec, "options"> {
  readonly options?: readonly OptionSpec[];
  /** What the script does, for the refusal of an AI CLI that runs it. */
  readonly does: string;
  step(args: Arguments): StepIn;
  /** What was recorded, and what else to print. */
  said(args: Arguments, place: Place): readonly [recorded: string, ...more: string[]];
}

export function runForPerson({ does, step, said, options = [], ...spec }: PersonScript) {
  const all = [onlyOption, ...options, workspaceOption, jsonOption];
  return runInProject({ ...spec, options: all }, async (args) => {
    await refuseBelowCli(does);
    const place = onlyPlace(args);
    const { seq, repeated } = await stepIn(place, step(args), systemClock);
    if (args.has("json")) print(`${JSON.stringify({ session: place.id, seq, repeated })}\n`);
    else {
      const [recorded, ...more] = said(args, place);
      const news = repeated ? "known already" : "recorded";
      printLines(`${news}: ${recorded} (seq ${seq})`, ...more);
    }
    return undefined;
  });
}
