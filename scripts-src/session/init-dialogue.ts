import { modeWords, parseMode } from "../protocol/config.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { createSession, requireOpening } from "./create-session.ts";
import { nextLine, registerOpener, storeAskedBy } from "./init-steps.ts";
import type { Opener, Register } from "./kinds.ts";
import { configOf, requirementOf, workspaceMade } from "./session-options.ts";

/** How `init` opens a dialogue. */
export const dialogueInit: Opener = {
  opens: "a dialogue of two (--topic)",
  askedBy: "--topic opens a dialogue of two",
  key: "topic",
  options: [
    { flags: "--topic <text>", text: "dialogue: what is to be decided, in one line" },
    {
      flags: "--participant <name>",
      text: "dialogue, collaboration, repeat: the initiator, who owns the proposal, first",
      many: true,
    },
    {
      flags: "--mode <mode>",
      text: `dialogue: ${modeWords.join(", ")} (default: default_mode of config.json)`,
    },
    { flags: "--require <what>", text: "dialogue: seen: both sides must have seen every claim" },
  ],
  notes: [
    "Modes: turns = strict turns; deep = no AGREE in round 1, nor without evidence of your own; async = no",
    "turns; blind = both state their position before either reads the other's.",
    "Example: init --topic 'SQLite or files?' --participant claude --participant gemini",
  ],
  open: initDialogue,
};

async function initDialogue(args: Arguments, register: Register): Promise<undefined> {
  const participants = args.many("participant");
  const opening = {
    topic: args.required("topic"),
    participants,
    mode: parseMode(args.one("mode")),
    require: requirementOf(args),
    id: args.one("session"),
  };
  requireOpening(configOf(args), opening);
  const workspace = await workspaceMade(args);
  const store = await storeAskedBy(args);
  const { place, kind, state } = await createSession(workspace, {
    ...opening,
    store,
    at: systemClock.now(),
    eventId: systemClock.newId(),
  });
  await registerOpener(place, kind.standing(state), register);
  if (args.has("json")) {
    print(`${JSON.stringify({ session: place.id, workspace: workspace.root })}\n`);
  } else {
    printLines(
      `opened session ${place.id} in ${workspace.root}`,
      "next:",
      nextLine(args, place, participants[0]),
      ...(store?.invitation(place.id) ?? []),
    );
  }
  return undefined;
}
