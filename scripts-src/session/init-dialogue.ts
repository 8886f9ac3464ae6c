import { parseMode } from "../protocol/config.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { commandLine, givenPath } from "../script/command-line.ts";
import { logAt, print, printErrorLines, printLines } from "../script/output.ts";
import { createSession, requireOpening } from "./create-session.ts";
import { invitationTo, nextLine, registerOpener, storeAskedBy } from "./init-steps.ts";
import type { Register } from "./opener.ts";
import { openSessionsPrinter } from "./session-limit-hint.ts";
import { configOf, requirementOf, workspaceMade } from "./session-options.ts";

/** Opens a dialogue of two. */
export async function initDialogue(args: Arguments, register: Register): Promise<undefined> {
  const participants = args.many("participant");
  const opening = {
    topic: args.required("topic"),
    participants,
    mode: parseMode(args.one("mode")),
    require: requirementOf(args),
    id: args.one("session"),
  };
  requireOpening(configOf(args), opening);
  const workspace = await workspaceMade(args);
  const store = await storeAskedBy(args);
  const { place, machine } = await createSession(workspace, {
    ...opening,
    store,
    at: systemClock.now(),
    eventId: systemClock.newId(),
    onSwept: (ids) =>
      logAt(workspace, "info", `removed sessions that ended long ago: ${ids.join(", ")}`),
    onSameTopic: (ids) => printErrorLines(...sameTopicLines(args, ids, participants[0])),
    onFull: openSessionsPrinter(args),
  });
  await registerOpener(place, machine.standing(), register);
  if (args.has("json")) {
    print(`${JSON.stringify({ session: place.id, workspace: workspace.root })}\n`);
  } else {
    printLines(
      `opened session ${place.id} in ${workspace.root}`,
      "next:",
      nextLine(args, place, participants[0]),
      ...(await invitationTo(store, place.id)),
    );
  }
  return undefined;
}

function sameTopicLines(args: Arguments, ids: string[], participant: string | undefined): string[] {
  return ids.map((session) => {
    const line = commandLine("next-action", {
      workspace: givenPath(args, "workspace"),
      session,
      participant,
    });
    return `note: ${session} has the same topic and is open; to join it: ${line}`;
  });
}
