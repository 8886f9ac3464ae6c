import { limits } from "../base/limits.ts";
import { readProfiles, writeProfile } from "../notes/profile.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { print, printLines } from "../script/output.ts";
import { readDraft, runInProject } from "../session/run-in-project.ts";
import { common, participantOf, workspaceMade, workspaceOf } from "../session/session-options.ts";
import { frameNonce, quoteText } from "../session/text/quotation.ts";

const spec: ScriptSpec = {
  name: "profile",
  summary: "Print the capability profiles of all agents, or keep your own.",
  options: [
    common.participant,
    { flags: "--write <file>", text: "your profile in Markdown; - reads standard input" },
    common.workspace,
  ],
  notes: ["A profile has the headings Model, Tools, Skills, Strengths and Weaknesses."],
};

runInProject(spec, async (args) => {
  const file = args.one("write");
  const workspace = file === undefined ? workspaceOf(args) : await workspaceMade(args);
  if (file !== undefined) {
    const text = await readDraft(file, limits.messageBytes);
    const path = writeProfile(workspace, participantOf(args), text);
    printLines(`kept as ${path}`);
    return undefined;
  }
  const profiles = readProfiles(workspace);
  for (const { name, text } of profiles) print(quoteText(`profile of ${name}`, text, frameNonce()));
  if (profiles.length === 0)
    printLines("nobody has written a profile yet; keep yours with --write FILE");
  return undefined;
});
