import { dirname, resolve } from "node:path";
import { takeRehearsalTurn } from "../agents/rehearsal/take-rehearsal-turn.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { participantOf, placeOf, sessionOptions } from "../host/context.ts";
import { say } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "rehearsal",
  summary: "Take one turn as a scripted colleague, without any AI; consult --rehearse runs this.",
  options: sessionOptions,
  notes: ["It runs next-action and append-event as any agent does, and says that it is a script."],
};

runScript(spec, async (args) => {
  const participant = participantOf(args);
  const place = await placeOf(args, participant);
  const scripts = resolve(dirname(process.argv[1] ?? "."));
  const environment = process.env;
  say(`${await takeRehearsalTurn({ place, participant, scripts, environment })}\n`);
  return undefined;
});
