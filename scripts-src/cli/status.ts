import { refused } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { plural } from "../base/plural.ts";
import { plainWord } from "../base/quote-text.ts";
import { durationText, millisecondsOf, unreadableTime } from "../base/time.ts";
import { safeJoin } from "../files/safe-path.ts";
import { adoptLog } from "../log/created-locally.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { type FoundSession, type FoundSessions, findSessions } from "../session/find-sessions.ts";
import { lettersByHand, refusedSince } from "../session/inbox/mailbox.ts";
import { needText, pausedText } from "../session/person-words.ts";
import type { Place } from "../session/place.ts";
import { refuseBelowCli, runInProject } from "../session/run-in-project.ts";
import { paidIn, paidLines } from "../session/second-model-payoff.ts";
import { sessionIds } from "../session/session.ts";
import { lineFor } from "../session/session-commands.ts";
import { common, isWorkspaceThere, workspaceOf } from "../session/session-options.ts";
import { sharedStores } from "../session/shared-stores.ts";
import { stateText, waiterText } from "../session/text/peers-text.ts";
import { follow } from "../session/waiting/follow.ts";
import { type PeerStatus, peerStatusOf } from "../session/waiting/peer-status.ts";

const spec: ScriptSpec = {
  name: "status",
  summary: "List the workspace's sessions: where each stands, who has the turn, who is waiting.",
  options: [
    { flags: "--all", text: "also sessions that have ended" },
    { ...common.session, text: "only this session" },
    { ...common.folder, text: "only the session in this folder, wherever it lies" },
    common.workspace,
    { flags: "--watch", text: "a line for each change, until Ctrl+C" },
    {
      flags: "--adopt",
      text: "count the sessions that it shows as begun here by you: see docs/security.md",
    },
    {
      flags: "--paid",
      text: "count whether the second model paid: decisions, what it changed, what became of them",
    },
    {
      flags: "--store <where>",
      text: "also the sessions that others share there, as init has it: git, git:NAME, etcd:NAME",
    },
    common.json,
  ],
  notes: [
    "A session that was not begun here may have come with the project: nothing goes on with it, learns of it",
    "or names it unasked until you adopt it, in a terminal: status --session ID --adopt.",
  ],
};

runInProject(spec, async (args) => {
  if (args.has("paid")) return tellPaid(args);
  if (args.has("watch")) return watch(args);
  const looked = await look(args);
  if (args.has("adopt")) return adopt(looked.shown);
  const remote = await elsewhere(args);
  if (args.has("json")) printJson(args, looked, remote);
  else printText(args, looked, remote);
  return undefined;
});

type Remote = readonly { readonly id: string; readonly join: string }[];

/** Sessions on a remote that are not here yet. */
async function elsewhere(args: Arguments): Promise<Remote> {
  const asked = args.one("store");
  if (asked === undefined) return [];
  const store = await (await sharedStores()).choose(args, asked, "look");
  return store.notJoined(isWorkspaceThere(args) ? sessionIds(workspaceOf(args)) : []);
}

/** Whether it asks about a remote alone, from a clone that has no workspace yet. */
function isFreshClone(args: Arguments): boolean {
  return args.has("store") && !isNamed(args) && !isWorkspaceThere(args);
}

function isNamed(args: Arguments): boolean {
  return args.has("session") || args.has("folder");
}

/** What there is to show now. */
interface Looked extends FoundSessions {
  readonly shown: readonly FoundSession[];
  readonly now: string;
}

async function look(args: Arguments): Promise<Looked> {
  const now = systemClock.now();
  const sessions = isFreshClone(args)
    ? { found: [], endedCount: 0, unseenCount: 0 }
    : await findSessions(args);
  // A session that was named is shown although it has ended, and so is what waits for the user's decision.
  const isShown = ({ standing, isOurs }: FoundSession) => {
    const waits = standing?.needsPerson !== undefined && isOurs;
    return (
      args.has("all") || isNamed(args) || standing === undefined || staysListed(standing) || waits
    );
  };
  return { ...sessions, shown: sessions.found.filter(isShown), now };
}

/** A board stays worth reading when everybody is ready. */
function staysListed({ ended, hasTurns }: SessionStatus): boolean {
  return !ended || !hasTurns;
}

/** Prints the lines of a session at each change of it, until it is interrupted. */
async function watch(args: Arguments): Promise<number> {
  const stray = ["adopt", "json"].find((name) => args.has(name));
  if (stray !== undefined) throw refused(`--watch is for people; leave out --${stray}`);
  const told = new Set<string>();
  let folders: readonly string[] = [];
  const end = await follow({
    folders: () => folders,
    pollIntervalMs: 3_000,
    heartbeatMs: 20_000,
    async check() {
      const { shown, now } = await look(args);
      const workspace = args.has("folder") ? [] : [safeJoin(workspaceOf(args).root, "sessions")];
      folders = [...workspace, ...shown.map(({ place }) => place.folder)];
      const news = shown.filter((it) => !told.has(keyOf(it)));
      for (const it of news) told.add(keyOf(it));
      const time = new Date().toTimeString().slice(0, 8);
      const lines = news.flatMap((it) => linesOf(it, now)).map((line) => `${time}  ${line}`);
      const isRead = lines.length === 0 || printLines(...lines);
      return isRead ? undefined : "done";
    },
  });
  return typeof end === "object" ? end.exitCode : 0;
}

/** A key that changes as soon as somebody has acted. */
function keyOf({ id, standing, fault }: FoundSession): string {
  if (standing === undefined) return `${id} ${fault}`;
  const { phase, waitingFor, paused, needsPerson, lastAt } = standing;
  return JSON.stringify([id, phase, waitingFor, paused, needsPerson, lastAt]);
}

type Peer = PeerStatus & { readonly place: Place };

function peersIn({ place, players, standing }: FoundSession, now: string): Peer[] {
  if (standing === undefined) return [];
  const peer = (name: string) => peerStatusOf(place, name, standing, players, now);
  return standing.participants.map((name) => ({ ...peer(name), place }));
}

function isMissed({ silentSeconds, ended }: PeerStatus): boolean {
  return silentSeconds !== undefined || ended !== undefined;
}

/** Everybody in the sessions that were begun here; as missed who is so in one, although present in another. */
function everybody({ shown, now }: Looked): Peer[] {
  const peers = shown.filter(({ isOurs }) => isOurs).flatMap((it) => peersIn(it, now));
  return [...new Map([...peers, ...peers.filter(isMissed)].map((it) => [it.name, it])).values()];
}

function printJson(args: Arguments, looked: Looked, remote: Remote): void {
  const sessions = looked.shown.map(({ id, standing, fault, sent, isOurs, stale }) => ({
    ...{ id, ...defined({ standing, fault, stale }) },
    sent,
    begun_here: isOurs,
  }));
  const peers = everybody(looked);
  const presence = Object.fromEntries(peers.map((it) => [it.name, it.presence]));
  const silent = peers.filter(isMissed).map(({ place: _, ...it }) => it);
  const more = args.has("store") ? { remote } : {};
  print(`${JSON.stringify({ sessions, presence, silent, ...more })}\n`);
}

function printText(args: Arguments, looked: Looked, remote: Remote): void {
  const { found, endedCount, unseenCount, shown, now } = looked;
  for (const it of shown) printLines(...linesOf(it, now));
  printLines(...remote.map(({ id, join }) => `${id}: not joined here; to join it: ${join}`));
  if (remote.length > 0)
    printLines(
      "where a peer's line says --signed, add it: then no unsigned session is joined in its place",
    );
  for (const it of everybody(looked)) {
    const died = waiterText(it, lineFor(args, "consult", it.place));
    printLines(died ?? `${plainWord(it.name)}: ${presenceText(it)}`);
  }
  const waiting = shown.filter((it) => it.isOurs && missesSomebody(it, now));
  printLines(...new Set(waiting.flatMap(({ whenSilent }) => whenSilent)));
  printLines(...lettersByHandIn(args), ...lettersRejected(args, shown));
  if (unseenCount > 0)
    printLines(
      `${plural(unseenCount, "older session")} not looked at: ${limits.sessionsLooked} at a time`,
    );
  const hidden = endedCount + found.length - shown.length;
  const more =
    hidden > 0 ? `, ${plural(hidden, "ended one")} hidden (--all shows what has ended)` : "";
  printLines(`${plural(shown.length, "session")} shown${more}`);
}

/** Whether a session waits for somebody who is silent. */
function missesSomebody(found: FoundSession, now: string): boolean {
  const waitingFor = found.standing?.waitingFor ?? [];
  return peersIn(found, now).some((it) => isMissed(it) && waitingFor.includes(it.name));
}

async function tellPaid(args: Arguments): Promise<undefined> {
  const paid = await paidIn(workspaceOf(args));
  if (args.has("json")) print(`${JSON.stringify(paid)}\n`);
  else printLines(...paidLines(paid));
}

/** Adopts what is shown; a session that cannot be read stays as it is. */
async function adopt(shown: readonly FoundSession[]): Promise<undefined> {
  await refuseBelowCli("--adopt takes over what others may have written");
  const strays = shown.filter(({ standing, isOurs }) => standing !== undefined && !isOurs);
  for (const { place } of strays) {
    const isAdopted = adoptLog(place.folder);
    const said = isAdopted ? "counts as begun here by you" : "has no event yet and stays as it is";
    printLines(`${place.id}: ${said}`);
  }
  if (strays.length === 0) printLines("nothing to adopt: what is shown was begun here by you");
}

/** Mail that was not entered yet; only where no session was named, because it may be of any. */
function lettersByHandIn(args: Arguments): string[] {
  return isNamed(args) || isFreshClone(args) ? [] : lettersByHand(workspaceOf(args));
}

/** Letters that were rejected since the oldest of the sessions shown began, and lie in errors/. */
function lettersRejected(args: Arguments, shown: readonly FoundSession[]): string[] {
  if (args.has("folder")) return [];
  const began = shown.flatMap(({ standing }) =>
    standing !== undefined && staysListed(standing) ? [standing.startedAt] : [],
  );
  const [since] = began.sort();
  if (since === undefined) return [];
  return refusedSince(workspaceOf(args), since).map(
    ({ file, reason, inbox }) =>
      `rejected mail in ${inline(inbox)}, now in errors/: ${inline(file)}: ${inline(reason)}`,
  );
}

/** Of many messages the newest matter. */
const sentShownMax = 4;

function linesOf(
  { id, standing, fault, sent, isOurs, stale, pausedBy }: FoundSession,
  now: string,
): string[] {
  if (standing === undefined) return [`${id}: unreadable: ${fault}`];
  const { paused, needsPerson } = standing;
  const newest = [...sent].sort((one, other) => one.seq - other.seq).slice(-sentShownMax);
  const onItsWay = newest.map((it) => {
    const late = it.overdueAfterSeconds === undefined ? "" : "OVERDUE: ";
    return `${late}message ${it.seq} from ${it.from} to ${it.to}: ${stateText(it)}`;
  });
  const more = isOurs
    ? [
        ...(paused === undefined ? [] : [pausedText(paused, pausedBy)]),
        ...(needsPerson === undefined ? [] : [needText(needsPerson)]),
        ...(stale === undefined ? [] : [stale]),
        ...onItsWay,
      ]
    : ["not begun here: it may have come with the project (see --help)"];
  return [lineOf(standing, id, now), ...more.map((line) => `  ${line}`)];
}

function lineOf(standing: SessionStatus, id: string, now: string): string {
  const { kind, ended, phase, waitingFor, hasTurns, verdict = "", summary, lastAt } = standing;
  const called = hasTurns ? "turn" : "not ready";
  const isWaiting = !ended && waitingFor.length > 0;
  const turn = isWaiting ? `${phase}, ${called}: ${waitingFor.join(" and ")}` : phase;
  const seconds = (millisecondsOf(now) - millisecondsOf(lastAt)) / 1_000;
  const age = Number.isNaN(seconds) ? `at ${unreadableTime}` : `${durationText(seconds)} ago`;
  const topic = standing.topic === "" ? "" : inline(standing.topic);
  const about = [verdict, summary, `last event ${age}`, topic].filter((part) => part !== "");
  return `${id}: ${kind}, ${turn}; ${about.join("; ")}`;
}

function presenceText({ presence, isRunning, silentSeconds }: PeerStatus): string {
  if (presence.present) return `waiting, heartbeat ${presence.secondsAgo} s ago`;
  if (isRunning) return "not waiting, its CLI is running";
  if (silentSeconds === undefined) return "not waiting";
  const minutes = Math.round(silentSeconds / 60);
  return `has the turn and gave no sign for ${minutes} min: it may have vanished`;
}
