import { presenceOf } from "../app/presence.ts";
import { listSessions } from "../app/session.ts";
import { escapeControls } from "../core/json.ts";
import type { Standing } from "../core/protocol.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import { jsonOption, workspaceOf, workspaceOption } from "../host/context.ts";
import { say } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "status",
  summary: "List the workspace's sessions: where each stands, who has the turn, who is waiting.",
  options: [{ flags: "--all", text: "also sessions that have ended" }, workspaceOption, jsonOption],
};

runScript(spec, async (args) => {
  const workspace = workspaceOf(args);
  const listed = await listSessions(workspace);
  const shown = listed.filter((it) => args.has("all") || !("standing" in it) || !it.standing.ended);
  const now = systemClock.now();
  const names = new Set(shown.flatMap((it) => ("standing" in it ? it.standing.participants : [])));
  const presence = Object.fromEntries(
    [...names].map((name) => [name, presenceOf(workspace, name, now)]),
  );
  if (args.has("json")) {
    say(`${JSON.stringify({ sessions: shown, presence })}\n`);
    return undefined;
  }
  for (const it of shown) {
    say(
      "standing" in it
        ? lineOf(it.standing, now)
        : escapeControls(`${it.id}: unreadable: ${it.fault}\n`),
    );
  }
  for (const [name, { present, secondsAgo }] of Object.entries(presence)) {
    say(`${name}: ${present ? `waiting, heartbeat ${secondsAgo} s ago` : "not waiting"}\n`);
  }
  const hidden = listed.length - shown.length;
  say(
    `${shown.length} sessions shown${hidden > 0 ? `, ${hidden} ended ones hidden (--all shows them)` : ""}\n`,
  );
  return undefined;
});

function lineOf(standing: Standing, now: string): string {
  const turn = standing.ended
    ? standing.phase
    : `${standing.phase}, turn: ${standing.waitingFor.join(" and ")}`;
  const minutes = Math.floor((Date.parse(now) - Date.parse(standing.lastAt)) / 60_000);
  return escapeControls(
    `${standing.id}: ${standing.kind}, ${turn}; ${standing.summary}; last event ${minutes} min ago; ${standing.topic}\n`,
  );
}
