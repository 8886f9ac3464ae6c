import { dirname, resolve } from "node:path";
import { takeRehearsalTurn } from "../consult/rehearsal/take-rehearsal-turn.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { print } from "../script/output.ts";
import { runInProject } from "../session/run-in-project.ts";
import { participantOf, sessionOptions } from "../session/session-options.ts";
import { placeOf } from "../session/which-session.ts";

const spec: ScriptSpec = {
  name: "rehearsal",
  summary: "Take one turn as a script, without any AI; consult --rehearse runs this.",
  options: sessionOptions,
  notes: ["It runs next-action and append-event as any agent does, and says that it is a script."],
};

runInProject(spec, async (args) => {
  const participant = participantOf(args);
  const place = await placeOf(args, participant);
  const scripts = resolve(dirname(process.argv[1] ?? "."));
  const environment = process.env;
  print(`${await takeRehearsalTurn({ place, participant, scripts, environment })}\n`);
  return undefined;
});
