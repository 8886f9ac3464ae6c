import { exitCodes } from "../base/errors.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines } from "../script/output.ts";
import { nextAction } from "../session/next-action.ts";
import { runInProject } from "../session/run-in-project.ts";
import { common, participantOf, sessionOptions } from "../session/session-options.ts";
import { printNextAction } from "../session/text/print-next-action.ts";
import { placeOf } from "../session/which-session.ts";
import { rememberSessionHere } from "../session/workspace/sessions-elsewhere.ts";
import { isWokenIn, registerCli } from "../wake/register-cli.ts";

const spec: ScriptSpec = {
  name: "next-action",
  summary: "Say where the session is, what your peer said, what is required, and what to run next.",
  options: [...sessionOptions, common.json],
  ownExitCodes: [
    {
      exit: exitCodes.NOT_YET,
      failures: ["NOT_YET"],
      advice: "told all the same, with a warning: protocol.json names no phase of the protocol",
    },
  ],
  notes: ["Safe to run at any time. Messages are shown again until you answer them."],
};

runInProject(spec, async (args) => {
  const participant = participantOf(args);
  const place = await placeOf(args, participant);
  const next = await nextAction(place, participant, systemClock);
  await printNextAction(args, next, await isWokenIn(next), "next-action");
  if (args.has("folder")) await rememberSessionHere(place);
  await registerCli(place, participant, next.standing);
  if (next.fault === undefined) return undefined;
  printErrorLines(`warning: ${next.fault}`);
  return exitCodes.NOT_YET;
});
