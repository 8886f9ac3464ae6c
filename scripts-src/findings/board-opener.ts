import { basename } from "node:path";
import { exitCodes } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { commandLine } from "../script/command-line.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { storeAskedBy } from "../session/init-steps.ts";
import type { Opener } from "../session/kinds.ts";
import { refuseFarPlace, refuseHiddenPlace, sessionAt } from "../session/run-in-project.ts";
import { rememberSessionHere } from "../session/workspace/sessions-elsewhere.ts";
import { openBoard, parseTerms } from "./create-board.ts";

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
  open: initBoard,
};

async function initBoard(args: Arguments): Promise<number> {
  const [dir = "", agents, timeout] = args.positionals;
  if (agents === undefined) {
    printErrorLines(`error: init ${dir} lacks the number of agents: init DIR AGENTS [TIMEOUT]`);
    return usageOfBoards;
  }
  await checkBoardPlace(dir);
  const terms = parseTerms(agents, timeout, args.one("about") ?? "");
  const store = await storeAskedBy(args);
  const { place, existed } = await openBoard(dir, terms, systemClock, store);
  await rememberSessionHere(place);
  const made = [
    `Consultation initialized at: ${dir}`,
    `Expected agents: ${terms.expectedAgents}`,
    `Timeout: ${terms.timeoutSeconds}s`,
  ];
  if (args.has("json")) print(`${JSON.stringify({ folder: place.folder, existed })}\n`);
  else printLines(...(existed ? [`Already initialized: ${dir}`] : made));
  printErrorLines(
    "next, with a name of your own:",
    commandLine("register", {}, [{ path: dir }, "NAME"]),
  );
  if (!existed) printErrorLines(...(store?.invitation(basename(place.folder)) ?? []));
  return existed ? exitCodes.EXISTS : exitCodes.OK;
}

/** A new board may lie anywhere: the CLI asks its user, who then lets all agents use it. */
async function checkBoardPlace(dir: string): Promise<void> {
  const place = sessionAt(dir);
  if (place.isNew) await refuseHiddenPlace(place.path);
  else await refuseFarPlace(place);
}
