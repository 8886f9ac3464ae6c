import { limits } from "../base/limits.ts";
import type { Opener } from "../session/opener.ts";
import { initBoard } from "./init-board.ts";

/** Seed 004: the usage errors of a board are 1. */
const usageOfBoards = 1;

/** How `init` opens a board of findings. */
export const boardOpener: Opener = {
  opens: "a board where agents pool findings (DIR AGENTS [TIMEOUT])",
  askedBy: "DIR AGENTS a board of findings",
  positionals: ["[dir]", "[agents]", "[timeout]"],
  options: [{ flags: "--about <text>", text: "board: what the findings are about, in one line" }],
  own: ["about"],
  ownExitCodes: [
    {
      exit: usageOfBoards,
      failures: [],
      advice: "wrong usage: a board's directory came without the number of agents",
    },
  ],
  notes: [
    "Example: init /tmp/flaky-login 3 600 --about 'Why does the login test fail?'",
    `AGENTS is how many take part, 1 to ${limits.boardAgents}; TIMEOUT the seconds from the first registration to the`,
    `deadline, 0 to ${limits.boardTimeoutSecondsMax} (default: ${limits.boardTimeoutSeconds}).`,
  ],
  open: async (args) => initBoard(args, usageOfBoards),
};
