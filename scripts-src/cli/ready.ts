import { ready } from "../app/ready.ts";
import { readyAgents } from "../core/findings/state.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { boardLine, boardOf, notRegisteredExit } from "../host/board-arguments.ts";
import { systemClock } from "../host/clock.ts";
import { readersProject } from "../host/context.ts";
import { sayLines, talkLines } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "ready",
  summary: "Mark an agent as done posting; its reports are checked and recorded as they are now.",
  positionals: ["<dir>", "<name>"],
  dashWords: true,
  options: [
    { flags: "--strict", text: "refuse while a report is empty or malformed, or there is none" },
  ],
  ownExitCodes: [notRegisteredExit],
};

runScript(spec, async (args) => {
  const { dir, name, place } = await boardOf(args, "NOT_YET");
  const how = { strict: args.has("strict"), base: process.cwd() };
  const { board, complaints } = await ready(
    place,
    { name, project: readersProject(place) },
    how,
    systemClock,
  );
  sayLines(
    `Agent ${name} marked ready (${readyAgents(board).length}/${board.settings.expectedAgents})`,
  );
  talkLines(
    ...complaints.map((complaint) => `warning: ${complaint}`),
    "next: wait for the others:",
    boardLine({ dir, name }, "poll", "--wait", "--timeout", "240"),
  );
  return undefined;
});
