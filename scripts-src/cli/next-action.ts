import { nextAction } from "../app/next-action.ts";
import { exitCodes } from "../core/errors.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import { jsonOption, participantOf, placeOf, sessionOptions } from "../host/context.ts";
import { notePlaceHere } from "../host/note-place.ts";
import { noteShown } from "../host/note-shown.ts";
import { talkLines } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";
import { sayNextAction } from "../host/say-next-action.ts";
import { takeSeatHere } from "../host/take-seat.ts";

const spec: ScriptSpec = {
  name: "next-action",
  summary:
    "Say where the session stands, what was said to you, what you owe, and what to run next.",
  options: [...sessionOptions, jsonOption],
  ownExitCodes: [
    {
      exit: exitCodes.NOT_YET,
      failures: ["NOT_YET"],
      advice: "told all the same, with a warning: protocol.json names no phase of the protocol",
    },
  ],
  notes: ["Safe to run at any time. Messages are shown again until you answer them."],
};

runScript(spec, async (args) => {
  const participant = participantOf(args);
  const place = await placeOf(args, participant);
  const next = await nextAction(place, participant, systemClock);
  const isShown = sayNextAction(args, next);
  if (args.has("folder")) await notePlaceHere(place);
  if (isShown) await noteShown(next, "next-action");
  await takeSeatHere(place, participant, next.standing);
  if (next.fault === undefined) return undefined;
  talkLines(`warning: ${next.fault}`);
  return exitCodes.NOT_YET;
});
