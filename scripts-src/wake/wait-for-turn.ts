import { ConsultaError, exitCodes } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nearestName } from "../base/nearest-name.ts";
import { visibleText } from "../base/visible-text.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { EventLog } from "../log/event-log.ts";
import { type SessionStatus, shownName } from "../protocol/protocol.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { logAt, printErrorLines, printLines } from "../script/output.ts";
import { mailFor } from "../session/inbox/deliver.ts";
import { takeMailAloud, tellMail } from "../session/inbox/import-and-report-mail.ts";
import { inboxOf, unreadFiles } from "../session/inbox/mailbox.ts";
import { type NextAction, nextAction } from "../session/next-action.ts";
import { openForParticipant, withNews } from "../session/open.ts";
import { endedUnread } from "../session/past/ended-unread.ts";
import { pausedBy } from "../session/paused-by.ts";
import { type Place, placeIn } from "../session/place.ts";
import { repairViews } from "../session/repair-views.ts";
import { catchUp, loadSession, type NamedStatus, type Session } from "../session/session.ts";
import { lineFor } from "../session/session-commands.ts";
import {
  isOurs,
  type ListedSession,
  latestSessions,
  listOpen,
  listSessions,
} from "../session/session-list.ts";
import { callPerson } from "../session/spawn-notify.ts";
import { whileTheyAct } from "../session/text/next-action-text.ts";
import { noteShown } from "../session/text/note-shown.ts";
import { printNextAction } from "../session/text/print-next-action.ts";
import { printOverdue } from "../session/text/print-overdue.ts";
import { FollowedLogs, sharedSessions } from "../session/waiting/follow-logs.ts";
import { presencePath } from "../session/waiting/presence.ts";
import { printUnreachable } from "../session/waiting/print-unreachable.ts";
import { retryLine } from "../session/waiting/retry-line.ts";
import type { WaitEnd } from "../session/waiting/wait-until.ts";
import { waitWithPresence } from "../session/waiting/wait-with-presence.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { type AwaitedPeer, PeerWatch } from "./peer-watch.ts";
import { registerCli } from "./register-cli.ts";
import { isWokenByHook, isWokenIn } from "./woken-by-hook.ts";

/** How long to wait, and how often to look meanwhile. */
type Patience = Pick<Waiter, "timeoutMs" | "pollIntervalMs">;

/**
 * Blocks until the participant has the turn in a session, or the session has ended, then prints
 * what `next-action` prints.
 */
export async function waitInSession(
  args: Arguments,
  loaded: Session,
  participant: string,
  { timeoutMs, pollIntervalMs }: Patience,
): Promise<number> {
  const known = await askedOf(loaded, participant);
  const { place } = known;
  const look = { ...(await oneSession(args, known, participant)), logs: [known.log] };
  const what = `${participant} has no turn yet in ${place.id}`;
  const about = { place, participant, timeoutMs, pollIntervalMs, what };
  // The line to wait on with is printed below what was told.
  return waitAndSay(args, look, { ...about, isTold: args.has("again") });
}

/**
 * What is here may be old, and the turn that it gives be taken: then its store is asked. Who has none waits for
 * what comes anyway.
 */
async function askedOf(session: Session, participant: string): Promise<Session> {
  const hasTurn = session.machine.standing().waitingFor.includes(participant);
  return hasTurn ? withNews(session) : session;
}

/** Like `waitInSession`, but until any session of the workspace gives the participant the turn. */
export async function waitInWorkspace(
  args: Arguments,
  workspace: Workspace,
  participant: string,
  { timeoutMs, pollIntervalMs }: Patience,
): Promise<number> {
  const shared = await sharedSessions(workspace);
  await Promise.all(shared.map((session) => askedOf(session, participant)));
  const look = {
    ...anySession(workspace, participant),
    folders: shared.map(({ place }) => place.folder),
    logs: shared.map(({ log }) => log),
  };
  const place = { id: "", folder: workspace.root, workspace, config: workspace.config };
  const what = `${participant} has no turn yet`;
  const about = { place, participant, timeoutMs, pollIntervalMs, what };
  // Sessions that others left long ago are no reason not to listen.
  return waitAndSay(args, look, { ...about, isTold: true });
}

interface Waiter {
  readonly place: Place;
  readonly participant: string;
  readonly timeoutMs: number | undefined;
  /** How often to look where the system tells of no changes. */
  readonly pollIntervalMs: number;
  /** Why the time was up in vain. */
  readonly what: string;
  /** Whether its reader knows which of its colleagues have ended by now. */
  readonly isTold: boolean;
}

async function waitAndSay(args: Arguments, look: Look, waiter: Waiter): Promise<number> {
  const { participant } = waiter;
  const retryCommand = retryLine(args, participant);
  const peers = await PeerWatch.open(participant, waiter.isTold);
  const { end, found, lostReason } = await waitWithPeers(args, look, waiter, peers);
  if (found === undefined) {
    if (peers.isAbandoned()) return exitCodes.NOT_YET;
    const seconds = (waiter.timeoutMs ?? 0) / 1_000;
    const inVain = (await look.reason?.()) ?? `${waiter.what} after ${seconds} s`;
    const why = lostReason === undefined ? `timeout: ${inVain}` : `not yet: ${lostReason}`;
    return endedEarly(args, end, why, retryCommand, { ...waiter, known: look.session?.() });
  }
  // Its store was asked before the wait, and followed since.
  const known = look.session?.() ?? (await loadSession(found));
  const next = await nextAction(found, participant, systemClock, known);
  if (printNextAction(args, next, await isWokenIn(next))) await noteShown(next, "wait-for-turn");
  await tellOfForeignEnd(next);
  await registerCli(found, participant, next.standing);
  return exitCodes.OK;
}

/** Others' scripts call nobody when they end a session: who of ours sees it first does. */
async function tellOfForeignEnd({ session, standing, place }: NextAction): Promise<void> {
  if (!session.kind.sharedLog || !standing.ended) return;
  callPerson(place, standing.seq);
}

/**
 * Waits until it is the participant's turn, or nobody is left to wait for, or the CLI that began the
 * wait has ended.
 */
async function waitWithPeers(
  args: Arguments,
  look: Look,
  { place, participant, timeoutMs, pollIntervalMs }: Waiter,
  peers: PeerWatch,
): Promise<{ end: WaitEnd; found: Place | undefined; lostReason: string | undefined }> {
  const inbox = place.workspace === undefined ? [] : [inboxOf(place.workspace, participant)];
  let found: Place | undefined;
  let lostReason: string | undefined;
  const followed = new FollowedLogs();
  try {
    const end = await waitWithPresence(participant, presencePath(place, participant), {
      heartbeatMs: place.config.heartbeat_seconds * 1_000,
      folders: () => [look.folder, ...(look.folders ?? []), ...inbox],
      timeoutMs,
      pollIntervalMs,
      begin(notice) {
        peers.begin(notice);
        const logs = look.logs ?? [];
        return followed.begin(
          logs.map((log) => ({ log, place, participant })),
          notice,
          printUnreachable,
        );
      },
      async check() {
        followed.check();
        if (peers.isAbandoned()) return "done";
        const state = await look.check();
        found = state.ready;
        if (found !== undefined && !args.has("json")) printLines(`ready: ${state.why}`);
        if (found !== undefined) return "done";
        lostReason = state.awaited === undefined ? undefined : await peers.look(state.awaited);
        return lostReason === undefined ? state.lookAgainMs : "done";
      },
    });
    return { end, found, lostReason };
  } finally {
    peers.end();
    await followed.end();
  }
}

interface Look {
  readonly folder: string;
  /** Others in which something may change, and the logs that other machines write as well. */
  readonly folders?: readonly string[];
  readonly logs?: readonly EventLog[];
  check(): Promise<{
    readonly ready?: Place;
    readonly why?: string;
    readonly lookAgainMs?: number | undefined;
    /** The sessions in which others have the turn; undefined where that cannot be read for now. */
    readonly awaited?: readonly AwaitedPeer[];
  }>;
  /** The session that it looks at, where it looks at one. */
  session?(): Session;
  /** Why it still waits, as it was said last. */
  reason?(): Promise<string | undefined>;
}

async function oneSession(args: Arguments, known: Session, participant: string): Promise<Look> {
  const { place } = known;
  const opened = await openForParticipant(place, participant, systemClock, { known });
  let { session } = opened;
  const { rejected } = opened;
  if (place.workspace !== undefined) tellMail(place.workspace, participant, opened);
  const talker = args.has("folder") && !args.has("json") ? new WaitTalk() : undefined;
  const look: Look = {
    folder: place.folder,
    session: () => session,
    async check() {
      const seen = await lookAgain(session);
      if (typeof seen === "string") {
        talker?.tell(seen);
        return { lookAgainMs: limits.tornLookMs };
      }
      session = seen;
      const found = readyIn(session, participant, talker !== undefined);
      if (found !== undefined) return found;
      talker?.tellStanding(session.machine.standing(), await pauseReason(session));
      const awaited = [{ place, standing: session.machine.standing() }];
      if (place.workspace === undefined) return { awaited };
      // Its sender may wait for an answer to what never arrived.
      const refusal = { ready: place, why: `mail to ${participant} was rejected` };
      if (rejected.length > 0) return refusal;
      const received = new Set(mailFor(session, participant).map(({ file }) => file));
      const isNew = (file: string) => !received.has(file);
      const unread = unreadFiles(place.workspace, participant).filter(isNew);
      if (session.machine.mail === undefined || unread.length === 0) return { awaited };
      const isRefused = await takeMailAloud(place.workspace, participant, received);
      session = await catchUp(session);
      const ready = readyIn(session, participant, false);
      return ready ?? (isRefused ? refusal : { lookAgainMs: limits.tornLookMs });
    },
  };
  return { ...look, reason: async () => (await pauseReason(session)) ?? talker?.last };
}

/** Why nobody has the turn, where that is the doing of the user, or of somebody as the user. */
async function pauseReason(
  session: Session,
  { id, paused }: SessionStatus = session.machine.standing(),
): Promise<string | undefined> {
  if (paused === undefined) return undefined;
  const named = id === undefined ? "the session" : `session ${id}`;
  const who = await pausedBy(session, "the user");
  return `${named} is paused by ${who} since ${paused.at}: nobody is given a turn until they resume`;
}

/** The session as it is now; why it cannot be read, where somebody may just be writing it. */
async function lookAgain(session: Session): Promise<Session | string> {
  if (!session.kind.sharedLog) return catchUp(session);
  try {
    return await repairViews(await catchUp(session));
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    return cause.message;
  }
}

/** Says why the wait goes on, at every change, as the original does. */
class WaitTalk {
  last = "";

  tellStanding(standing: SessionStatus, held: string | undefined): void {
    const { waitingFor, seq } = standing;
    const whom = waitingFor.map((it) => shownName(standing, it)).join(", ") || "none";
    const awaited = `waiting for ${whom}${seq === 0 ? "" : ` after seq ${seq}`}`;
    this.tell(held ?? awaited);
  }

  tell(reason: string): void {
    if (reason === this.last) return;
    this.last = reason;
    printLines(`waiting: ${reason}`);
  }
}

/** Why the wait for this session is over, if it is; `plain` are the original's words. */
function readyIn({ place, machine }: Session, participant: string, plain: boolean) {
  const { ended, phase, waitingFor } = machine.standing();
  const { id } = place;
  if (ended) {
    return {
      ready: place,
      why: plain ? `phase is ${phase}` : `session ${id} has ended (${phase})`,
    };
  }
  if (!waitingFor.includes(participant)) return undefined;
  const why = plain
    ? `${participant} is listed in waitingFor`
    : `${participant} has the turn in ${id}`;
  return { ready: place, why };
}

function anySession(workspace: Workspace, participant: string): Look {
  const seenOpen = new Set<string>();
  const seenEnded = new Set<string>();
  const unreadable = new Set<string>();
  const isNews = async ({ id, ended }: NamedStatus) => {
    if (!ended || seenEnded.has(id)) return false;
    seenEnded.add(id);
    return seenOpen.has(id) || endedUnread(await loadSession(placeIn(workspace, id)), participant);
  };
  const wakeBy = ({ id }: NamedStatus, why: string) => ({ ready: placeIn(workspace, id), why });
  let openHere: NamedStatus[] = [];
  let strays: NamedStatus[] = [];
  let isFirst = true;
  return {
    folder: ensureFolder(workspace.root, "sessions"),
    reason: () => reasonOf(workspace, openHere, strays, participant),
    async check() {
      const listed = isFirst ? await listOpen(workspace) : [];
      // What changes while this waits is among those that changed last.
      const seen = new Set(listed.map(({ id }) => id));
      const others = latestSessions(workspace).filter((id) => !seen.has(id));
      listed.push(...(await listSessions(workspace, others)));
      logUnreadable(workspace, listed, unreadable);
      const standings = listed.flatMap((it) => ("standing" in it ? [it.standing] : []));
      const begunHere = standings.filter(({ id }) => isOurs(workspace, id));
      openHere = begunHere.filter(isOpenWithTurns);
      const withMe = begunHere.filter((it) => takesTurns(it, participant));
      const notBegunHere = standings.filter((it) => isOpenWithTurns(it) && !begunHere.includes(it));
      strays = notBegunHere.filter(({ participants }) => participants.includes(participant));
      const withMyTurn = withMe.find(({ waitingFor }) => waitingFor.includes(participant));
      if (withMyTurn !== undefined)
        return wakeBy(withMyTurn, `${participant} has the turn in ${withMyTurn.id}`);
      for (const over of withMe)
        if (await isNews(over)) return wakeBy(over, `session ${over.id} has ended (${over.phase})`);
      const withMeOpen = withMe.filter(({ ended }) => !ended);
      for (const { id } of withMeOpen) seenOpen.add(id);
      if (isFirst && withMeOpen.length === 0)
        printErrorLines(listeningText(workspace, openHere, participant));
      isFirst = false;
      const awaited = withMeOpen.map((it) => ({ place: placeIn(workspace, it.id), standing: it }));
      return { ...(await enterNewMail(workspace, participant, withMeOpen)), awaited };
    },
  };
}

async function reasonOf(
  workspace: Workspace,
  open: readonly NamedStatus[],
  strays: readonly NamedStatus[],
  participant: string,
): Promise<string | undefined> {
  const held = open.find((it) => it.paused && it.participants.includes(participant));
  if (held !== undefined) return pauseReason(await loadSession(placeIn(workspace, held.id)), held);
  return open.length === 0 ? strayText(strays) : strangerText(open, participant);
}

const openShownMax = 5;

function isOpenWithTurns({ hasTurns, ended }: SessionStatus): boolean {
  return hasTurns && !ended;
}

/** Says of each session once why it cannot be read. */
function logUnreadable(
  workspace: Workspace,
  listed: readonly ListedSession[],
  known: Set<string>,
): void {
  for (const it of listed) {
    if (!("fault" in it) || known.has(it.id)) continue;
    known.add(it.id);
    logAt(workspace, "error", `session ${it.id} cannot be read: ${inline(it.fault)}`);
  }
}

/** For a user who shares the project with other users, machines or containers on purpose. */
function strayText(strays: readonly NamedStatus[]): string | undefined {
  if (strays.length === 0) return undefined;
  const ids = strays.slice(0, openShownMax).map(({ id }) => id);
  const more = strays.length > ids.length ? `, ${strays.length - ids.length} more` : "";
  return `not begun here, so not waited for unless --session names it: ${ids.join(", ")}${more}`;
}

/** What a person sees who listens in the wrong folder, or under a wrong name. */
function listeningText(workspace: Workspace, open: readonly NamedStatus[], participant: string) {
  const near = nearestName(participant, new Set(open.flatMap((it) => it.participants)));
  const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
  return `no open session of ${participant}${hint} in ${visibleText(workspace.project)}: waiting for one`;
}

/** For a participant that may wait under a name that is not its own. */
function strangerText(open: readonly NamedStatus[], participant: string): string | undefined {
  if (open.some((it) => it.participants.includes(participant))) return undefined;
  const shown = open.slice(0, openShownMax).map((it) => `${it.id} (${it.participants.join(", ")})`);
  const more = open.length > shown.length ? `, ${open.length - shown.length} more` : "";
  return `no open session has a participant ${participant}; open: ${shown.join(", ")}${more}`;
}

function takesTurns({ hasTurns, participants }: SessionStatus, participant: string): boolean {
  return hasTurns && participants.includes(participant);
}

/** Enters mail of foreign colleagues; returns when to look again, or that some of it was refused. */
async function enterNewMail(workspace: Workspace, participant: string, open: NamedStatus[]) {
  const sessions = await Promise.all(open.map(({ id }) => loadSession(placeIn(workspace, id))));
  const received = sessions.flatMap((session) => mailFor(session, participant));
  const known = new Set(received.map(({ file }) => file));
  const isNew = (file: string) => !known.has(file);
  if (!unreadFiles(workspace, participant).some(isNew)) return {};
  const isRefused = await takeMailAloud(workspace, participant, known);
  const lookAgainMs = unreadFiles(workspace, participant).some(isNew) ? limits.tornLookMs : 1;
  const [first] = open;
  if (!isRefused || first === undefined) return { lookAgainMs };
  const why = `mail to ${participant} was rejected`;
  return { ready: placeIn(workspace, first.id), why };
}

async function endedEarly(
  args: Arguments,
  end: WaitEnd,
  why: string,
  retryCommand: string,
  { place, participant, known }: Waiter & { readonly known: Session | undefined },
): Promise<number> {
  if (typeof end === "object") return 128 + end.signal;
  printErrorLines(why);
  await printOverdue(place, participant, (it) => lineFor(args, "consult", it), known);
  const isWoken = place.id !== "" && (await isWokenByHook(place, participant));
  printErrorLines(...whileTheyAct({ wait: retryCommand, isWoken }));
  return exitCodes.NOT_YET;
}
