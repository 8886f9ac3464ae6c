import type { ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { jsonOption, workspaceOption } from "../session/context.ts";
import { onlyOption, onlyPlace } from "../session/only-place.ts";
import { personSays } from "../session/person-says.ts";
import { refuseBelowCli } from "../session/refuse-agents.ts";
import { runInProject } from "../session/run-in-project.ts";

const spec: ScriptSpec = {
  name: "verdict",
  summary: "Put on record what became of a decision: kept, changed or wrong.",
  options: [
    onlyOption,
    { flags: "--because <text>", text: "why, in a sentence or two" },
    workspaceOption,
    jsonOption,
  ],
  positionals: ["<kept|changed|wrong>"],
  notes: [
    "For people at a terminal: rejected where an AI CLI runs it. The last verdict on a session counts.",
    "status --paid counts them. Example: verdict --session sqlite-or-files kept",
  ],
};

runInProject(spec, async (args) => {
  await refuseBelowCli("verdict records what the user says of a decision");
  const [verdict = ""] = args.positionals;
  const because = args.one("because");
  const place = onlyPlace(args);
  const fields = { verdict, ...(because === undefined ? {} : { because }) };
  const { seq, repeated } = await personSays(place, fields, systemClock);
  if (args.has("json")) print(`${JSON.stringify({ session: place.id, seq, repeated })}\n`);
  else
    printLines(`${repeated ? "known already" : "recorded"}: ${place.id} ${verdict} (seq ${seq})`);
  return undefined;
});
