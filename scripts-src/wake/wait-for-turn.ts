import { exitCodes } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { plainWord } from "../base/quote-text.ts";
import { type CliProcess, cliProcess, isInCli } from "../clis/cli-process.ts";
import { isRunning } from "../clis/is-running.ts";
import { shownName } from "../protocol/protocol.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines, printLines } from "../script/output.ts";
import { inboxOf } from "../session/inbox/mailbox.ts";
import { type NextAction, nextAction } from "../session/next-action.ts";
import { callPerson } from "../session/notify.ts";
import { openSession } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import type { Session } from "../session/session.ts";
import { lineFor, retryLine } from "../session/session-commands.ts";
import { whileTheyAct } from "../session/text/next-action-text.ts";
import { printOverdue } from "../session/text/peers-text.ts";
import { printNextAction } from "../session/text/print-next-action.ts";
import { follow, type WaitEnd } from "../session/waiting/follow.ts";
import { peerStatusOf, registeredClis } from "../session/waiting/peer-status.ts";
import { presencePath } from "../session/waiting/presence.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import {
  type AwaitedSession,
  type AwaitedSessions,
  awaitSession,
  awaitWorkspace,
  enterNewMail,
} from "./awaited-sessions.ts";
import { isWokenByHook, isWokenIn, registerCli } from "./register-cli.ts";
import { absenceOf } from "./roles.ts";

/** How long to wait, and how often to look where the system tells of no changes. */
interface Patience {
  readonly timeoutMs: number | undefined;
  readonly pollIntervalMs: number;
}

/**
 * Blocks until the participant has the turn in a session, or the session has ended, then prints
 * what `next-action` prints.
 */
export async function waitInSession(
  args: Arguments,
  loaded: Session,
  participant: string,
  patience: Patience,
): Promise<number> {
  const awaited = await awaitSession(loaded, participant);
  return waitAndSay({ ...patience, args, awaited, place: loaded.place, participant });
}

/** Like `waitInSession`, but until any session of the workspace gives the participant the turn. */
export async function waitInWorkspace(
  args: Arguments,
  workspace: Workspace,
  participant: string,
  patience: Patience,
): Promise<number> {
  const place = { id: "", folder: workspace.root, workspace, config: workspace.config };
  const awaited = await awaitWorkspace(workspace, participant);
  return waitAndSay({ ...patience, args, awaited, place, participant });
}

interface Waiter extends Patience {
  readonly args: Arguments;
  readonly awaited: AwaitedSessions;
  /** Of the session, or of the workspace: then without a name. */
  readonly place: Place;
  readonly participant: string;
}

async function waitAndSay(waiter: Waiter): Promise<number> {
  const { args, awaited, participant } = waiter;
  const retryCommand = retryLine(args, participant);
  const wait = new TurnWait(waiter, isInCli() ? await cliProcess() : undefined);
  const end = await wait.run();
  if (wait.found === undefined)
    return wait.isAbandoned() ? exitCodes.NOT_YET : sayInVain(waiter, wait, end, retryCommand);
  // Its store was asked before the wait, and followed since.
  const known = awaited.session() ?? (await openSession(wait.found));
  const next = await nextAction(wait.found, participant, systemClock, known);
  await printNextAction(args, next, await isWokenIn(next), "wait-for-turn");
  tellOfForeignEnd(next);
  await registerCli(wait.found, participant, next.standing);
  return exitCodes.OK;
}

/** Others' scripts call nobody when they end a session: who of ours sees it first does. */
function tellOfForeignEnd({ session, standing, place }: NextAction): void {
  if (session.kind.sharedLog && standing.ended) callPerson(place, standing);
}

async function sayInVain(
  { args, awaited, place, participant, timeoutMs = 0 }: Waiter,
  { lostReason, said }: TurnWait,
  end: WaitEnd,
  retryCommand: string,
): Promise<number> {
  if (typeof end === "object") return end.exitCode;
  const where = place.id === "" ? "" : ` in ${place.id}`;
  const inVain = `${participant} has no turn yet${where} after ${timeoutMs / 1_000} s`;
  const reason = (await awaited.pauseReason()) ?? said ?? inVain;
  printErrorLines(lostReason === undefined ? `timeout: ${reason}` : `not yet: ${lostReason}`);
  await printOverdue(place, participant, (it) => lineFor(args, "consult", it), awaited.session());
  const isWoken = place.id !== "" && (await isWokenByHook(place, participant));
  printErrorLines(...whileTheyAct({ wait: retryCommand, isWoken }));
  return exitCodes.NOT_YET;
}

/**
 * One wait: until it is the participant's turn, or nobody is left to wait for, or the CLI that began the
 * wait has ended.
 */
class TurnWait {
  readonly #waiter: Waiter;
  readonly #own: CliProcess | undefined;
  #processes: readonly CliProcess[] = [];
  /** The sessions in which everybody with the turn has ended, as far as that need not be told. */
  #known: ReadonlySet<string> | undefined;
  /** Where the wait is over. */
  found: Place | undefined;
  lostReason: string | undefined;
  /** Why the wait goes on, as it was said last. */
  said: string | undefined;

  constructor(waiter: Waiter, own: CliProcess | undefined) {
    this.#waiter = waiter;
    this.#own = own;
    // The line to wait on with is printed below what was told. Sessions that others left long ago are no
    // reason not to listen.
    const isTold = waiter.args.has("again") || waiter.place.id === "";
    if (!isTold) this.#known = new Set();
  }

  run(): Promise<WaitEnd> {
    const { awaited, place, participant, timeoutMs, pollIntervalMs } = this.#waiter;
    const { folder, followed } = awaited;
    const inbox = place.workspace === undefined ? [] : [inboxOf(place.workspace, participant)];
    const folders = [folder, ...followed.map((it) => it.place.folder), ...inbox];
    return follow({
      check: () => this.#check(),
      folders: () => folders,
      pollIntervalMs,
      timeoutMs,
      heartbeatMs: place.config.heartbeat_seconds * 1_000,
      present: () => [{ agent: participant, path: presencePath(place, participant) }],
      logs: followed.map(({ log }) => ({ log })),
      ...(awaited.note && { onFault: awaited.note }),
      processes: () => this.#processes,
    });
  }

  /** Whether the CLI that began the wait has ended. */
  isAbandoned(): boolean {
    return this.#own !== undefined && isRunning(this.#own) === false;
  }

  async #check(): Promise<"done" | number | undefined> {
    if (this.isAbandoned()) return "done";
    const { args, awaited } = this.#waiter;
    const listed = await awaited.list();
    if (typeof listed === "string") {
      this.#say(listed);
      return limits.tornLookMs;
    }
    const ready = (await this.#ready(listed)) ?? (await this.#mail(listed));
    if (typeof ready !== "object") {
      this.lostReason = ready === undefined ? this.#lost(listed) : undefined;
      return this.lostReason === undefined ? ready : "done";
    }
    this.found = ready.place;
    if (!args.has("json")) printLines(`ready: ${ready.why}`);
    return "done";
  }

  /** The session for which the wait is over, and why; to a folder in the original's words. */
  async #ready(listed: readonly AwaitedSession[]) {
    const { args, awaited, participant } = this.#waiter;
    const isFolder = args.has("folder") && !args.has("json");
    for (const { place, standing } of listed) {
      if (standing.ended || !standing.waitingFor.includes(participant)) continue;
      // The next look leaves it out.
      if (!(await awaited.goesOn(place))) return 1;
      const turn = isFolder ? "is listed in waitingFor" : `has the turn in ${place.id}`;
      return { place, why: `${participant} ${turn}` };
    }
    for (const it of listed) {
      const { ended, phase } = it.standing;
      if (!ended || !(await awaited.isNews(it))) continue;
      const over = isFolder ? `phase is ${phase}` : `session ${it.place.id} has ended (${phase})`;
      return { place: it.place, why: over };
    }
    for (const { standing } of isFolder ? listed : []) {
      const { waitingFor, seq } = standing;
      const whom = waitingFor.map((it) => shownName(standing, it)).join(", ") || "none";
      const after = seq === 0 ? "" : ` after seq ${seq}`;
      this.#say((await awaited.pauseReason()) ?? `waiting for ${whom}${after}`);
    }
    return undefined;
  }

  /** Says to who waits at a folder why the wait goes on, at every change, as the original does. */
  #say(reason: string): void {
    const { args } = this.#waiter;
    if (reason === this.said || !args.has("folder") || args.has("json")) return;
    this.said = reason;
    printLines(`waiting: ${reason}`);
  }

  /** Enters new mail. Its sender may wait for an answer to what was rejected. */
  async #mail(listed: readonly AwaitedSession[]) {
    const { awaited, place, participant } = this.#waiter;
    const open = listed.filter(({ standing }) => !standing.ended);
    const session = awaited.session();
    // In a session without mail nobody waits for letters: those of others end no wait in it.
    const hasMail = session === undefined || session.kind.mail !== undefined;
    if (place.workspace === undefined || !hasMail) return undefined;
    const { lookAgainMs, isRefused } = awaited.hasRejected
      ? { lookAgainMs: undefined, isRefused: true }
      : await enterNewMail(place.workspace, participant, open);
    const [first] = open;
    if (isRefused !== true || first === undefined) return lookAgainMs;
    // What came in with it may have given the turn.
    const now = await awaited.list();
    const ready = typeof now === "string" ? undefined : await this.#ready(now);
    return ready ?? { place: first.place, why: `mail to ${participant} was rejected` };
  }

  /** Whose processes have ended since the last look, so that waiting may be in vain, in one line. */
  #lost(listed: readonly AwaitedSession[]): string | undefined {
    const processes = this.#own === undefined ? [] : [this.#own];
    const gone = new Map<string, string>();
    for (const { place, standing } of listed.filter((it) => !it.standing.ended)) {
      const players = registeredClis(place);
      processes.push(...players.map(({ process }) => process));
      const others = standing.waitingFor.filter((name) => name !== this.#waiter.participant);
      const now = systemClock.now();
      const peers = others.map((name) => peerStatusOf(place, name, standing, players, now));
      if (absenceOf(peers) !== "gone") continue;
      gone.set(place.folder, `${others.map(plainWord).join(" and ")} in ${place.id}`);
    }
    this.#processes = processes;
    const known = this.#known ?? new Set(gone.keys());
    this.#known = new Set(gone.keys());
    const news = [...gone].filter(([folder]) => !known.has(folder)).map(([, who]) => who);
    return news.length === 0 ? undefined : `whoever ran ${news.join(", ")} has ended`;
  }
}
