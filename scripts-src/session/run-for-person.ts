import type { ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { stepIn } from "./person-steps.ts";
import { refuseBelowCli, runInProject } from "./run-in-project.ts";
import { lineFor } from "./session-commands.ts";
import { common } from "./session-options.ts";
import { onlyPlace } from "./which-session.ts";

/** Runs a script by which a person puts something about a session on record; `does` is for its refusal below a CLI. */
export function runForPerson(verb: "decide" | "judge", does: string, spec: ScriptSpec) {
  const options = [common.only, ...spec.options, common.workspace, common.json];
  return runInProject({ ...spec, options }, async (args) => {
    await refuseBelowCli(`${spec.name} ${does}`);
    const place = onlyPlace(args);
    const [text = ""] = args.positionals;
    const step = { verb, text, because: args.one("because") };
    const { seq, repeated } = await stepIn(place, step, systemClock);
    if (args.has("json")) print(`${JSON.stringify({ session: place.id, seq, repeated })}\n`);
    else {
      const said = verb === "decide" ? `your decision on ${place.id}` : `${place.id} ${text}`;
      printLines(`${repeated ? "known already" : "recorded"}: ${said} (seq ${seq})`);
      if (verb === "decide") printLines("its report:", lineFor(args, "report", place));
    }
    return undefined;
  });
}
