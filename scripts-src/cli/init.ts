import { checkOpening, openSession } from "../app/open-session.ts";
import { modes, parseMode } from "../core/dialogue/config.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import {
  commandLine,
  configOf,
  jsonOption,
  workspaceMade,
  workspaceOption,
} from "../host/context.ts";
import { log, say } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "init",
  summary: "Open a dialogue between two participants and print its id.",
  options: [
    { flags: "--topic <text>", text: "what is to be decided, in one line", required: true },
    {
      flags: "--participant <name>",
      text: "twice: the initiator first",
      required: true,
      many: true,
    },
    { flags: "--mode <mode>", text: `${modes.join(", ")} (default: default_mode of config.json)` },
    { flags: "--session <id>", text: "name of the session (default: made from the topic)" },
    workspaceOption,
    jsonOption,
  ],
  notes: [
    "Modes: rapida = strict turns; profondo = no AGREE in round 1, nor without a check of your own;",
    "parallelo = no turns; competitiva = both state their position sealed before either is read.",
    "Example: init --topic 'SQLite or files?' --participant claude --participant gemini",
    "Exit 3: --session names a session that exists; join it with next-action.",
  ],
};

runScript(spec, async (args) => {
  const participants = args.many("participant");
  const opening = {
    topic: args.required("topic"),
    participants,
    mode: parseMode(args.one("mode")),
    id: args.one("session"),
  };
  checkOpening(configOf(args), opening);
  const workspace = await workspaceMade(args);
  const { id } = await openSession(workspace, {
    ...opening,
    at: systemClock.now(),
    eventId: systemClock.newId(),
    onSwept: (ids) =>
      log(workspace, "info", `removed sessions that ended long ago: ${ids.join(", ")}`),
  });
  const next = commandLine("next-action", {
    workspace: args.one("workspace"),
    session: id,
    participant: participants[0],
  });
  say(
    args.has("json")
      ? `${JSON.stringify({ session: id, workspace: workspace.root })}\n`
      : `opened session ${id} in ${workspace.root}\nnext:\n${next}\n`,
  );
  return undefined;
});
