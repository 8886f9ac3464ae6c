import { limits } from "../base/limits.ts";
import { parseParticipant } from "../base/names.ts";
import { applyAdvice, proposeAdvice } from "../notes/advise.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { print, printLines } from "../script/output.ts";
import { readDraft, refuseBelowCli, runInProject } from "../session/run-in-project.ts";
import { common, participantOf, workspaceOf } from "../session/session-options.ts";

const spec: ScriptSpec = {
  name: "advise",
  summary: "Propose advice for a peer's memory file as a diff; write it only with --apply.",
  options: [
    common.participant,
    {
      flags: "--colleague <name>",
      text: "whose memory file: claude, gemini or another",
      required: true,
    },
    { flags: "--advice <file>", text: "1 to 8 lines; - reads standard input", required: true },
    { flags: "--apply", text: "write it; only after the user has seen the diff and said yes" },
    common.workspace,
  ],
  notes: ["claude's memory is CLAUDE.md, gemini's GEMINI.md, everybody else's AGENTS.md."],
};

runInProject(spec, async (args) => {
  if (args.has("apply")) await refuseBelowCli("--apply writes into a memory file");
  const workspace = workspaceOf(args);
  const colleague = parseParticipant(args.required("colleague"));
  const text = await readDraft(args.required("advice"), limits.messageBytes);
  const advice = proposeAdvice(workspace, participantOf(args), colleague, text);
  if (advice.diff === "") {
    printLines(`${advice.path} already says so`);
  } else if (args.has("apply")) {
    applyAdvice(advice);
    print(advice.diff);
    printLines(`written to ${advice.path}`);
  } else {
    print(advice.diff);
    printLines(
      "nothing was written; show this to the user and run again with --apply if they agree",
    );
  }
  return undefined;
});
