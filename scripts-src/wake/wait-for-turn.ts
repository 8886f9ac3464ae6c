import { exitCodes } from "../base/errors.ts";
import { plainWord } from "../base/escape-untrusted-text.ts";
import { limits } from "../base/limits.ts";
import { type CliProcess, cliProcess, isInCli } from "../clis/cli-process.ts";
import { isRunning } from "../clis/is-running.ts";
import { type SessionStatus, shownName } from "../protocol/protocol.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines, printLines } from "../script/output.ts";
import { inboxOf } from "../session/inbox/mailbox.ts";
import { type NextAction, nextAction } from "../session/next-action.ts";
import { openSession } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import type { Session } from "../session/session.ts";
import { lineFor } from "../session/session-commands.ts";
import { callPerson } from "../session/spawn-notify.ts";
import { whileTheyAct } from "../session/text/next-action-text.ts";
import { noteShown } from "../session/text/note-shown.ts";
import { printNextAction } from "../session/text/print-next-action.ts";
import { printOverdue } from "../session/text/print-overdue.ts";
import { follow, type WaitEnd } from "../session/waiting/follow.ts";
import { peerStatusOf, registeredClis } from "../session/waiting/peer-status.ts";
import { presencePath } from "../session/waiting/presence.ts";
import { retryLine } from "../session/waiting/retry-line.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { registerCli } from "./register-cli.ts";
import { absenceOf } from "./roles.ts";
import {
  type AwaitedSession,
  enterNewMail,
  lookAtSession,
  lookAtWorkspace,
  pauseReason,
  type TurnLook,
} from "./turn-looks.ts";
import { isWokenByHook, isWokenIn } from "./woken-by-hook.ts";

/** How long to wait, and how often to look where the system tells of no changes. */
type Patience = Pick<Waiter, "timeoutMs" | "pollIntervalMs">;

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
  const { place } = loaded;
  // The line to wait on with is printed below what was told.
  const waiter = { ...patience, place, participant, isTold: args.has("again") };
  return waitAndSay(args, await lookAtSession(loaded, participant), waiter);
}

/** Like `waitInSession`, but until any session of the workspace gives the participant the turn. */
export async function waitInWorkspace(
  args: Arguments,
  workspace: Workspace,
  participant: string,
  patience: Patience,
): Promise<number> {
  const place = { id: "", folder: workspace.root, workspace, config: workspace.config };
  // Sessions that others left long ago are no reason not to listen.
  const waiter = { ...patience, place, participant, isTold: true };
  return waitAndSay(args, await lookAtWorkspace(workspace, participant), waiter);
}

interface Waiter {
  readonly place: Place;
  readonly participant: string;
  readonly timeoutMs: number | undefined;
  readonly pollIntervalMs: number;
  /** Whether its reader knows which of its colleagues have ended by now. */
  readonly isTold: boolean;
}

async function waitAndSay(args: Arguments, look: TurnLook, waiter: Waiter): Promise<number> {
  const { participant } = waiter;
  const retryCommand = retryLine(args, participant);
  const wait = new TurnWait(args, look, waiter, isInCli() ? await cliProcess() : undefined);
  const end = await wait.run();
  if (wait.found === undefined) {
    return wait.isAbandoned() ? exitCodes.NOT_YET : sayInVain(args, end, wait, retryCommand);
  }
  // Its store was asked before the wait, and followed since.
  const known = look.session() ?? (await openSession(wait.found));
  const next = await nextAction(wait.found, participant, systemClock, known);
  if (printNextAction(args, next, await isWokenIn(next))) await noteShown(next, "wait-for-turn");
  tellOfForeignEnd(next);
  await registerCli(wait.found, participant, next.standing);
  return exitCodes.OK;
}

/** Others' scripts call nobody when they end a session: who of ours sees it first does. */
function tellOfForeignEnd({ session, standing, place }: NextAction): void {
  if (session.kind.sharedLog && standing.ended) callPerson(place, standing.seq);
}

async function sayInVain(
  args: Arguments,
  end: WaitEnd,
  { look, waiter, lostReason, talk }: TurnWait,
  retryCommand: string,
): Promise<number> {
  if (typeof end === "object") return end.exitCode;
  const { place, participant, timeoutMs = 0 } = waiter;
  const held = await look.held();
  const reason = held === undefined ? talk?.last : await pauseReason(held);
  const where = place.id === "" ? "" : ` in ${place.id}`;
  const inVain =
    reason ?? `${participant} has no turn yet${where} after ${(timeoutMs ?? 0) / 1_000} s`;
  printErrorLines(lostReason === undefined ? `timeout: ${inVain}` : `not yet: ${lostReason}`);
  await printOverdue(place, participant, (it) => lineFor(args, "consult", it), look.session());
  const isWoken = place.id !== "" && (await isWokenByHook(place, participant));
  printErrorLines(...whileTheyAct({ wait: retryCommand, isWoken }));
  return exitCodes.NOT_YET;
}

/**
 * One wait: until it is the participant's turn, or nobody is left to wait for, or the CLI that began the
 * wait has ended.
 */
class TurnWait {
  readonly look: TurnLook;
  readonly waiter: Waiter;
  /** Only for a folder, as the original says why its wait goes on. */
  readonly talk: WaitTalk | undefined;
  found: Place | undefined;
  lostReason: string | undefined;
  readonly #isQuiet: boolean;
  readonly #own: CliProcess | undefined;
  #processes: readonly CliProcess[] = [];
  /** The sessions in which everybody with the turn has ended, as far as that need not be told. */
  #known: ReadonlySet<string> | undefined;

  constructor(args: Arguments, look: TurnLook, waiter: Waiter, own: CliProcess | undefined) {
    this.look = look;
    this.waiter = waiter;
    this.#own = own;
    this.#isQuiet = args.has("json");
    this.talk = args.has("folder") && !args.has("json") ? new WaitTalk() : undefined;
    if (!waiter.isTold) this.#known = new Set();
  }

  run(): Promise<WaitEnd> {
    const { place, participant, timeoutMs, pollIntervalMs } = this.waiter;
    const { folder, followed } = this.look;
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
      processes: () => this.#processes,
    });
  }

  /** Whether the CLI that began the wait has ended. */
  isAbandoned(): boolean {
    return this.#own !== undefined && isRunning(this.#own) === false;
  }

  async #check(): Promise<"done" | number | undefined> {
    if (this.isAbandoned()) return "done";
    const listed = await this.look.list();
    if (typeof listed === "string") {
      this.talk?.tell(listed);
      return limits.tornLookMs;
    }
    const ready = (await this.#ready(listed)) ?? (await this.#mail(listed));
    if (typeof ready !== "object") {
      this.lostReason = ready === undefined ? await this.#lost(listed) : undefined;
      return this.lostReason === undefined ? ready : "done";
    }
    this.found = ready.place;
    if (!this.#isQuiet) printLines(`ready: ${ready.why}`);
    return "done";
  }

  /** The session for which the wait is over, and why; to a folder in the original's words. */
  async #ready(listed: readonly AwaitedSession[]) {
    const { participant } = this.waiter;
    const isMine = ({ standing }: AwaitedSession) =>
      !standing.ended && standing.waitingFor.includes(participant);
    const mine = listed.find(isMine);
    if (mine !== undefined) {
      const { id } = mine.place;
      const isPlain = this.talk !== undefined;
      const turn = `${participant} ${isPlain ? "is listed in waitingFor" : `has the turn in ${id}`}`;
      return { place: mine.place, why: turn };
    }
    for (const it of listed) {
      const { ended, phase } = it.standing;
      if (!ended || !(await this.look.isNews(it))) continue;
      const over =
        this.talk === undefined ? `session ${it.place.id} has ended (${phase})` : undefined;
      return { place: it.place, why: over ?? `phase is ${phase}` };
    }
    for (const { standing } of listed) await this.talk?.tellStanding(standing, this.look);
    return undefined;
  }

  /** Enters new mail. Its sender may wait for an answer to what was rejected. */
  async #mail(listed: readonly AwaitedSession[]) {
    const { place, participant } = this.waiter;
    const open = listed.filter(({ standing }) => !standing.ended);
    const session = this.look.session();
    // In a session without mail nobody waits for letters: those of others end no wait in it.
    const hasMail = session === undefined || session.kind.mail !== undefined;
    if (place.workspace === undefined || !hasMail) return undefined;
    const { lookAgainMs, isRefused } = this.look.hasRejected
      ? { lookAgainMs: undefined, isRefused: true }
      : await enterNewMail(place.workspace, participant, open);
    const [first] = open;
    if (isRefused !== true || first === undefined) return lookAgainMs;
    // What came in with it may have given the turn.
    const now = await this.look.list();
    const ready = typeof now === "string" ? undefined : await this.#ready(now);
    return ready ?? { place: first.place, why: `mail to ${participant} was rejected` };
  }

  /** Whose processes have ended since the last look, so that waiting may be in vain, in one line. */
  async #lost(listed: readonly AwaitedSession[]): Promise<string | undefined> {
    const processes = this.#own === undefined ? [] : [this.#own];
    const gone = new Map<string, string>();
    for (const { place, standing } of listed.filter((it) => !it.standing.ended)) {
      const players = await registeredClis(place);
      processes.push(...players.map(({ process }) => process));
      const others = standing.waitingFor.filter((name) => name !== this.waiter.participant);
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

/** Says why the wait goes on, at every change, as the original does. */
class WaitTalk {
  last: string | undefined;

  async tellStanding(standing: SessionStatus, look: TurnLook): Promise<void> {
    const { waitingFor, seq } = standing;
    const whom = waitingFor.map((it) => shownName(standing, it)).join(", ") || "none";
    const awaited = `waiting for ${whom}${seq === 0 ? "" : ` after seq ${seq}`}`;
    const held = await look.held();
    this.tell((held && (await pauseReason(held))) ?? awaited);
  }

  tell(reason: string): void {
    if (reason === this.last) return;
    this.last = reason;
    printLines(`waiting: ${reason}`);
  }
}
