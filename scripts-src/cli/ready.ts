import { ready } from "../findings/agent-acts.ts";
import { boardLine, boardOf, notRegisteredExit } from "../findings/locate-board.ts";
import { readyAgents } from "../findings/rules/state.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines, printLines } from "../script/output.ts";
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
  const at = await boardOf(args);
  const { board, complaints } = await ready(
    at.place,
    at,
    { strict: args.has("strict") },
    systemClock,
  );
  const count = `${readyAgents(board).length}/${board.settings.expectedAgents}`;
  printLines(`Agent ${at.name} marked ready (${count})`);
  printErrorLines(
    ...complaints.map((complaint) => `warning: ${complaint}`),
    "next: wait for the others:",
    boardLine(at, "poll", "--wait", "--timeout", "240"),
  );
  return undefined;
});
