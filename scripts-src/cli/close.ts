import { closeSession, person } from "../app/close-session.ts";
import { type Place, placeIn } from "../app/place.ts";
import { listOpen } from "../app/session-list.ts";
import type { Workspace } from "../app/workspace.ts";
import { ConsultaError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { parseSessionId } from "../core/names.ts";
import type { Arguments, ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import {
  folderOf,
  folderOption,
  jsonOption,
  lineFor,
  participantOf,
  participantOption,
  usualParticipant,
  workspaceOf,
  workspaceOption,
} from "../host/context.ts";
import { say, sayLines } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "close",
  summary: "End a session that nobody goes on with, without a result, and say why.",
  options: [
    { flags: "--session <id>", text: "the session (default: the only open one)" },
    folderOption,
    {
      flags: "--reason <text>",
      text: "why it ends, in one line; its participants are told",
      required: true,
    },
    { ...participantOption, text: `${participantOption.text}; at a terminal nobody: the user` },
    workspaceOption,
    jsonOption,
  ],
  notes: [
    "The initiator of a session may close it, or the user. What was said stays; a dialogue is closed, a",
    "collaboration blocked. Nothing is decided by it.",
    "Example: close --session sqlite-or-files --reason 'asked while signed out'",
  ],
};

runScript(spec, async (args) => {
  const by = await whoCloses(args);
  const place = folderOf(args) ?? (await placeOf(args, workspaceOf(args)));
  const { session } = await closeSession(place, by, args.required("reason"), systemClock);
  const { phase } = session.machine.standing();
  if (args.has("json")) say(`${JSON.stringify({ session: place.id, phase, by })}\n`);
  else sayLines(`closed ${place.id} (${phase})`, "its report:", lineFor(args, "report", place));
  return undefined;
});

/** An agent says who it is; at a terminal it is the user. */
async function whoCloses(args: Arguments): Promise<string> {
  if (args.has("participant") || usualParticipant() !== undefined) return participantOf(args);
  const { cliAbove } = await import("../app/cli-above.ts");
  return cliAbove() === undefined ? person : participantOf(args);
}

async function placeOf(args: Arguments, workspace: Workspace): Promise<Place> {
  const given = args.one("session");
  if (given !== undefined) return placeIn(workspace, parseSessionId(given));
  const listed = await listOpen(workspace);
  const open = listed.filter(
    (it) => "standing" in it && !it.standing.ended && it.standing.hasTurns,
  );
  const [only, second] = open;
  if (only !== undefined && second === undefined) return placeIn(workspace, only.id);
  const ids = open.slice(0, limits.sessionsNamed).map(({ id }) => id);
  const which =
    ids.length === 0
      ? "no session is open here: there is nothing to close"
      : `${open.length} sessions are open; give --session with one of: ${ids.join(", ")}`;
  throw new ConsultaError("REFUSED", which);
}
