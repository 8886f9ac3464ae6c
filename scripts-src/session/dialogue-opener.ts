import { modeWords } from "../protocol/config.ts";
import { initDialogue } from "./init-dialogue.ts";
import type { Opener } from "./opener.ts";

/** How `init` opens a dialogue. */
export const dialogueOpener: Opener = {
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
  open: async (args, register) => initDialogue(args, register),
};
