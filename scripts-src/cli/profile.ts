import { readProfiles, writeProfile } from "../app/profile.ts";
import { limits } from "../core/limits.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import {
  participantOf,
  participantOption,
  workspaceMade,
  workspaceOption,
} from "../host/context.ts";
import { say } from "../host/output.ts";
import { readInput } from "../host/read-input.ts";
import { runScript } from "../host/run-script.ts";
import { frameNonce } from "../host/say-next-action.ts";
import { quoteText } from "../view/quotation.ts";

const spec: ScriptSpec = {
  name: "profile",
  summary: "Print the capability profiles of all agents, or keep your own.",
  options: [
    participantOption,
    { flags: "--write <file>", text: "your profile in Markdown; - reads standard input" },
    workspaceOption,
  ],
  notes: ["A profile has the headings Model, Tools, Skills, Strengths and Weaknesses."],
};

runScript(spec, async (args) => {
  const workspace = await workspaceMade(args);
  const file = args.one("write");
  if (file !== undefined) {
    const path = writeProfile(workspace, participantOf(args), readInput(file, limits.messageBytes));
    say(`kept as ${path}\n`);
    return undefined;
  }
  const profiles = readProfiles(workspace);
  for (const { name, text } of profiles) say(quoteText(`profile of ${name}`, text, frameNonce()));
  if (profiles.length === 0)
    say("nobody has written a profile yet; keep yours with --write FILE\n");
  return undefined;
});
