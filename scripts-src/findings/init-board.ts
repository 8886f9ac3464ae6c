import { basename } from "node:path";
import { exitCodes } from "../base/errors.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { commandLine } from "../script/command-line.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { invitationTo, storeAskedBy } from "../session/init-steps.ts";
import { refuseFarPlace, refuseHiddenPlace } from "../session/refuse-agents.ts";
import { sessionAt } from "../session/workspace/check-path-arguments.ts";
import { rememberSessionHere } from "../session/workspace/grant-session-access.ts";
import { openBoard, parseTerms } from "./create-board.ts";

/** Opens a board of findings; `usageExit` is the exit code of a usage error. */
export async function initBoard(args: Arguments, usageExit: number): Promise<number> {
  const [dir = "", agents, timeout] = args.positionals;
  if (agents === undefined) {
    printErrorLines(`error: init ${dir} lacks the number of agents: init DIR AGENTS [TIMEOUT]`);
    return usageExit;
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
  if (!existed) printErrorLines(...(await invitationTo(store, basename(place.folder))));
  return existed ? exitCodes.EXISTS : exitCodes.OK;
}

/** A new board may lie anywhere: the CLI asks its user, who then lets all agents use it. */
async function checkBoardPlace(dir: string): Promise<void> {
  const place = sessionAt(dir);
  if (place.isNew) await refuseHiddenPlace(place.path);
  else await refuseFarPlace(place);
}
