import type { ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { jsonOption, lineFor, workspaceOption } from "../session/context.ts";
import { onlyOption, onlyPlace } from "../session/only-place.ts";
import { personSays } from "../session/person-says.ts";
import { refuseBelowCli } from "../session/refuse-agents.ts";
import { runInProject } from "../session/run-in-project.ts";

const spec: ScriptSpec = {
  name: "decide",
  summary: "Put on record what you, the user, decided after an escalation or a recommendation.",
  options: [onlyOption, workspaceOption, jsonOption],
  positionals: ["<decision>"],
  notes: [
    "For people at a terminal: rejected where an AI CLI runs it. The last decision of a session counts.",
    "Example: decide --session sqlite-or-files 'Plain files; SQLite when we have a second writer.'",
  ],
};

runInProject(spec, async (args) => {
  await refuseBelowCli("decide records a decision of the user's");
  const [decision = ""] = args.positionals;
  const place = onlyPlace(args);
  const { seq, repeated } = await personSays(place, { decision }, systemClock);
  if (args.has("json")) print(`${JSON.stringify({ session: place.id, seq, repeated })}\n`);
  else {
    printLines(
      `${repeated ? "known already" : "recorded"}: your decision on ${place.id} (seq ${seq})`,
    );
    printLines("its report:", lineFor(args, "report", place));
  }
  return undefined;
});
