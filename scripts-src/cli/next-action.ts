import { nextAction } from "../app/next-action.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import {
  jsonOption,
  participantOf,
  participantOption,
  sessionOf,
  sessionOption,
  workspaceOf,
  workspaceOption,
} from "../host/context.ts";
import { runScript } from "../host/run-script.ts";
import { sayNextAction } from "../host/say-next-action.ts";

const spec: ScriptSpec = {
  name: "next-action",
  summary:
    "Say where the session stands, what was said to you, what you owe, and what to run next.",
  options: [sessionOption, participantOption, workspaceOption, jsonOption],
  notes: ["Safe to run at any time. Messages are shown again until you answer them."],
};

runScript(spec, async (args) => {
  const workspace = workspaceOf(args);
  const participant = participantOf(args);
  const session = await sessionOf(args, workspace, participant);
  sayNextAction(args, await nextAction(workspace, session, participant, systemClock));
  return undefined;
});
