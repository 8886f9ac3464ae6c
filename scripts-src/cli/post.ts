import { limits } from "../base/limits.ts";
import { post } from "../findings/agent-acts.ts";
import { boardLine, boardOf, notRegisteredExit } from "../findings/locate-board.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines, printLines } from "../script/output.ts";
import { readDraft, runInProject } from "../session/run-in-project.ts";

const spec: ScriptSpec = {
  name: "post",
  summary: "Give a finding its number and print its path; with --file, check and publish a report.",
  positionals: ["<dir>", "<name>", "<topic>"],
  dashWords: true,
  options: [
    { flags: "--file <file>", text: "the report, published whole; - reads standard input" },
  ],
  ownExitCodes: [notRegisteredExit],
  notes: [
    "Without --file an empty file waits at the printed path: write your report there.",
    "A report begins with: # Title, ## Working Directories, ## Files Modified,",
    "## Files Investigated (not modified), ## Summary. Lists hold '- `path` -- what', or '- none'.",
    "path:line citations are watched: read-all tells when those lines have changed.",
    "'Confirms: agent/NN' and 'Supersedes: agent/NN' on lines of their own refer to other findings.",
  ],
};

runInProject(spec, async (args) => {
  const board = await boardOf(args);
  const [, , topic = ""] = args.positionals;
  const file = args.one("file");
  const text = file === undefined ? undefined : await readDraft(file, limits.messageBytes);
  const posted = await post(board.place, board, topic, text, systemClock);
  printLines(`${board.dir}/${posted.path}`);
  if (posted.repeated) {
    const what = text === undefined ? "that number is yours" : "this very report stands there";
    printErrorLines(`${what} already, as seq ${posted.seq}`);
  }
  for (const remark of posted.remarks) printErrorLines(`note: ${remark}`);
  for (const shown of posted.missing) {
    printErrorLines(`not watched, no such line below the working directories: ${shown}`);
  }
  const hint = text === undefined ? "write your report into that file, then" : "when all is posted";
  printErrorLines(`next: ${hint}:`, boardLine(board, "ready", "--strict"));
  return undefined;
});
