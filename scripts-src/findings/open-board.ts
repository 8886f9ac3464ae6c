import { basename, dirname, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { exitCodes, refused, tryAgain, unavailable } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { parseSessionId } from "../base/names.ts";
import { isPlainLine } from "../base/quote-text.ts";
import { isoSecond, millisecondsOf } from "../base/time.ts";
import { createFileExclusively, namesIn, uniqueSuffix } from "../files/atomic-file.ts";
import { diskFailure, isErrno, lstatSync, realpathSync, renameSync } from "../files/disk.ts";
import { isOwnAlone } from "../files/ownership.ts";
import { heldPaths, removeTree, syncFolder } from "../files/safe-open.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { commandLine } from "../script/command-line.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { storeAskedBy } from "../session/init-steps.ts";
import type { Opener } from "../session/kinds.ts";
import { openSession } from "../session/open.ts";
import { absolutePath, type Place, placeAt } from "../session/place.ts";
import { refuseFarPlace, refuseHiddenPlace, sessionAt } from "../session/run-in-project.ts";
import { newSession } from "../session/session.ts";
import type { ChosenStore } from "../session/shared-stores.ts";
import { submit } from "../session/submit.ts";
import { rememberSessionHere } from "../session/workspace/sessions-elsewhere.ts";
import { openWorkspace } from "../session/workspace/workspace.ts";
import { writeNewestViews } from "../session/write-views.ts";
import { isWholeBoard, noBoard, requirePath } from "./locate-board.ts";
import { agentsFileStart, metaText } from "./rules/meta-and-agents.ts";

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

/** What a new board is for. */
export interface BoardTerms {
  readonly expectedAgents: number;
  /** How long the others are waited for after the first registration. */
  readonly timeoutSeconds: number;
  /** What the board is about, in one line; "" when the user did not say. */
  readonly about: string;
}

export interface OpenedBoard {
  readonly place: Place;
  /** Whether it existed before: the caller joins it. */
  readonly existed: boolean;
}

/**
 * Makes a board under a draft name and renames it, so that nobody sees half a board. Of several
 * processes that make the same one exactly one succeeds; the others join.
 * @throws ConsultaError REFUSED when the path holds something else, UNAVAILABLE when the disk refuses.
 */
export async function openBoard(
  path: string,
  terms: BoardTerms,
  clock: Clock,
  store?: ChosenStore,
): Promise<OpenedBoard> {
  requirePath(path);
  const folder = absolutePath(path);
  if (await isTaken(path, folder)) return { place: placeAt(path), existed: true };
  const parent = await parentFor(folder);
  sweepHalfMade(parent);
  const draft = join(parent, `${draftPrefix}${uniqueSuffix()}`);
  try {
    const whenMoved = await beginAt(draft, folder, store);
    await fillFolder(draft, terms, clock);
    if (moveFolder(draft, join(parent, basename(folder)))) {
      whenMoved();
      // The workspace lists the board among its sessions.
      const made = await writeNewestViews(await openSession(placeAt(path)), undefined);
      return { place: made.place, existed: false };
    }
  } finally {
    removeTree(draft);
  }
  if (await isTaken(path, folder)) return { place: placeAt(path), existed: true };
  throw unavailable(`${path} is busy: it came and went meanwhile; ${tryAgain}`);
}

const draftPrefix = ".consulta-board-";
const halfMadeMs = 3_600_000;

/** Whether there is a board already. @throws ConsultaError REFUSED when the folder is none. */
async function isTaken(path: string, folder: string): Promise<boolean> {
  if (lstatSync(folder) === undefined) return false;
  if (await isWholeBoard(folder)) return true;
  throw noBoard(path);
}

/** The folder that will hold the board's own; it makes the workspace when the path is in one. */
async function parentFor(folder: string): Promise<string> {
  const parent = dirname(folder);
  const workspace = dirname(parent);
  if (basename(parent) === "sessions" && basename(workspace) === ".consulta") {
    ensureFolder(workspace);
    await openWorkspace(dirname(workspace), true);
  }
  const found = lstatSync(parent);
  return found?.isSymbolicLink() ? realpathSync(parent) : ensureFolder(parent);
}

/** Removes the drafts of processes that died. */
function sweepHalfMade(parent: string): void {
  for (const name of namesIn(parent)) {
    const path = join(parent, name);
    if (!name.startsWith(draftPrefix)) continue;
    const status = lstatSync(path);
    // Another user's draft is left to its owner, and may be a trap.
    if (status === undefined || !isOwnAlone(status)) continue;
    if (Date.now() - status.mtimeMs > halfMadeMs) removeTree(path);
  }
}

/** Notes where the board is kept for other machines; what is given is to be called when it has its name. */
async function beginAt(draft: string, folder: string, store: ChosenStore | undefined) {
  if (store === undefined) return () => undefined;
  const id = parseSessionId(basename(folder));
  ensureFolder(draft);
  const begun = await store.begin(placeAt(draft), id);
  if (begun === undefined) throw store.taken(id);
  return () => begun.movedTo(folder);
}

async function fillFolder(folder: string, terms: BoardTerms, clock: Clock): Promise<void> {
  ensureFolder(folder, "findings");
  const createdAt = isoSecond(millisecondsOf(clock.now()));
  createFileExclusively(join(folder, "meta.md"), metaText({ ...terms, createdAt }));
  createFileExclusively(join(folder, "agents.md"), agentsFileStart);
  const place = { ...placeAt(folder), workspace: undefined };
  const session = await newSession(place, "findings");
  const fields = { event: "board_opened" };
  await submit(session, { participant: "consulta", origin: "script", fields }, clock);
}

/** False when the name is taken. */
function moveFolder(from: string, to: string): boolean {
  try {
    heldPaths(from, to, renameSync);
    syncFolder(dirname(to));
    return true;
  } catch (error) {
    if (isErrno(error, "ENOTEMPTY", "EEXIST", "ENOTDIR", "EISDIR", "EPERM")) return false;
    throw diskFailure(error, `make ${to}`);
  }
}

/**
 * Reads what a new board is for from the words of a command line.
 * @throws ConsultaError REFUSED with what was given and what was expected.
 */
export function parseTerms(agents: string, timeout: string | undefined, about: string): BoardTerms {
  const expectedAgents = wholeNumber("the number of agents", agents, 1, limits.boardAgents);
  const timeoutSeconds =
    timeout === undefined
      ? limits.boardTimeoutSeconds
      : wholeNumber("the timeout in seconds", timeout, 0, limits.boardTimeoutSecondsMax);
  if (!isPlainLine(about) || about.length > limits.topicCharacters) {
    throw refused(
      `--about has line breaks, control characters or more than ${limits.topicCharacters} characters; give one line`,
    );
  }
  return { expectedAgents, timeoutSeconds, about: about.trim() };
}

function wholeNumber(what: string, text: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw refused(
    `${what} is ${JSON.stringify(text)}, expected a whole number from ${min} to ${max}: init DIR AGENTS [TIMEOUT]`,
  );
}
