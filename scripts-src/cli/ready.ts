import { boardLine, boardOf, notRegisteredExit } from "../findings/board-arguments.ts";
import { ready } from "../findings/ready.ts";
import { readyAgents } from "../findings/rules/state.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines, printLines } from "../script/output.ts";
import { readersProject } from "../session/place.ts";
import { runInProject } from "../session/run-in-project.ts";

const spec: ScriptSpec = {
  name: "ready",
  summary: "Mark an agent as done posting; its reports are checked and recorded as they are now.",
  positionals: ["<dir>", "<name>"],
  dashWords: true,
  options: [
    { flags: "--strict", text: "reject while a report is empty or malformed, or there is none" },
  ],
  ownExitCodes: [notRegisteredExit],
};

runInProject(spec, async (args) => {
  const { dir, name, place } = await boardOf(args);
  const how = { strict: args.has("strict"), base: process.cwd() };
  const { board, complaints } = await ready(
    place,
    { name, project: readersProject(place) },
    how,
    systemClock,
  );
  printLines(
    `Agent ${name} marked ready (${readyAgents(board).length}/${board.settings.expectedAgents})`,
  );
  printErrorLines(
    ...complaints.map((complaint) => `warning: ${complaint}`),
    "next: wait for the others:",
    boardLine({ dir, name }, "poll", "--wait", "--timeout", "240"),
  );
  return undefined;
});
