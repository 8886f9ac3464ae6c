import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { parseSessionId } from "../base/names.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { closeSession, person } from "../session/close-session.ts";
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
} from "../session/context.ts";
import { type Place, placeIn } from "../session/place.ts";
import { runInProject } from "../session/run-in-project.ts";
import { listOpen } from "../session/session-list.ts";
import type { Workspace } from "../session/workspace/workspace.ts";

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

runInProject(spec, async (args) => {
  const by = await whoCloses(args);
  const place = folderOf(args) ?? (await placeOf(args, workspaceOf(args)));
  const { session } = await closeSession(place, by, args.required("reason"), systemClock);
  const { phase } = session.machine.standing();
  if (args.has("json")) print(`${JSON.stringify({ session: place.id, phase, by })}\n`);
  else printLines(`closed ${place.id} (${phase})`, "its report:", lineFor(args, "report", place));
  return undefined;
});

/** An agent says who it is; at a terminal it is the user. */
async function whoCloses(args: Arguments): Promise<string> {
  if (args.has("participant") || usualParticipant() !== undefined) return participantOf(args);
  const { cliAbove } = await import("../clis/cli-above.ts");
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
