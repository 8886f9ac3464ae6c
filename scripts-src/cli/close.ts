import { cliAbove } from "../clis/detect-parent-cli.ts";
import { personName } from "../protocol/person-step.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { closeSession } from "../session/person-steps.ts";
import { runInProject } from "../session/run-in-project.ts";
import { standingOf } from "../session/session.ts";
import { lineFor } from "../session/session-commands.ts";
import { common, defaultParticipant, participantOf } from "../session/session-options.ts";
import { folderAsked, onlyPlaceThat } from "../session/which-session.ts";

const spec: ScriptSpec = {
  name: "close",
  summary: "End a session that nobody goes on with, without a result, and say why.",
  options: [
    { flags: "--session <id>", text: "the session (default: the only open one)" },
    common.folder,
    {
      flags: "--reason <text>",
      text: "why it ends, in one line; its participants are told",
      required: true,
    },
    { ...common.participant, text: `${common.participant.text}; at a terminal nobody: the user` },
    common.workspace,
    common.json,
  ],
  notes: [
    "The initiator of a session may close it, or the user. What was said stays; a dialogue is closed, a",
    "collaboration blocked. Nothing is decided by it.",
    "Example: close --session sqlite-or-files --reason 'asked while signed out'",
  ],
};

runInProject(spec, async (args) => {
  const by = await whoCloses(args);
  const place = folderAsked(args) ?? (await onlyPlaceThat(args, "open", "close"));
  const { session } = await closeSession(place, by, args.required("reason"), systemClock);
  const { phase } = standingOf(session);
  if (args.has("json")) print(`${JSON.stringify({ session: place.id, phase, by })}\n`);
  else printLines(`closed ${place.id} (${phase})`, "its report:", lineFor(args, "report", place));
  return undefined;
});

/** An agent says who it is; at a terminal it is the user. */
async function whoCloses(args: Arguments): Promise<string> {
  if (args.has("participant") || defaultParticipant() !== undefined) return participantOf(args);
  return cliAbove() === undefined ? personName : participantOf(args);
}
