import { ConsultaError } from "../base/errors.ts";
import { plainWord } from "../base/escape-untrusted-text.ts";
import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { plural } from "../base/plural.ts";
import { millisecondsOf, unreadableTime } from "../base/time.ts";
import { safeJoin } from "../files/safe-path.ts";
import { adoptLog } from "../log/created-locally.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { type FoundSession, type FoundSessions, findSessions } from "../session/find-sessions.ts";
import { lettersByHand } from "../session/inbox/mailbox.ts";
import { refusedSince } from "../session/inbox/refused-mail.ts";
import type { SentMessage } from "../session/inbox/sent-messages.ts";
import type { Place } from "../session/place.ts";
import { refuseBelowCli } from "../session/refuse-agents.ts";
import { notJoined, storeFor } from "../session/requested-store.ts";
import { runInProject } from "../session/run-in-project.ts";
import { paidIn, paidLines } from "../session/second-model-payoff.ts";
import { sessionIds } from "../session/session.ts";
import { lineFor } from "../session/session-commands.ts";
import {
  folderOption,
  isWorkspaceThere,
  jsonOption,
  projectOf,
  sessionOption,
  workspaceOf,
  workspaceOption,
} from "../session/session-options.ts";
import { needText, pausedText } from "../session/text/person-text.ts";
import { stateText, waiterText } from "../session/text/sent-messages-text.ts";
import { follow } from "../session/waiting/follow.ts";
import { type PeerStatus, peerStatusOf } from "../session/waiting/peer-status.ts";

const spec: ScriptSpec = {
  name: "status",
  summary: "List the workspace's sessions: where each stands, who has the turn, who is waiting.",
  options: [
    { flags: "--all", text: "also sessions that have ended" },
    { ...sessionOption, text: "only this session" },
    { ...folderOption, text: "only the session in this folder, wherever it lies" },
    workspaceOption,
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
    jsonOption,
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
  return tell(args, looked, await elsewhere(args));
});

/** Sessions on a remote that are not here yet. */
async function elsewhere(args: Arguments): Promise<{ id: string; join: string }[]> {
  const asked = args.one("store");
  if (asked === undefined) return [];
  const store = await storeFor(args, asked, projectOf(args), "look");
  return notJoined(store, isWorkspaceThere(args) ? sessionIds(workspaceOf(args)) : []);
}

/** Whether it asks about a remote alone, from a clone that has no workspace yet. */
function isFreshClone(args: Arguments): boolean {
  const isOnlyStore = args.has("store") && !args.has("session") && !args.has("folder");
  return isOnlyStore && !isWorkspaceThere(args);
}

/** What there is to show now. */
interface Looked extends FoundSessions {
  readonly shown: readonly FoundSession[];
  readonly now: string;
}

async function look(args: Arguments): Promise<Looked> {
  const now = systemClock.now();
  const sessions = isFreshClone(args)
    ? { found: [], ended: 0, unseen: 0 }
    : await findSessions(args);
  // A session that was named is shown although it has ended.
  const all = ["all", "session", "folder"].some((name) => args.has(name));
  const shown = sessions.found.filter(
    ({ listed, isOurs }) => all || !("standing" in listed) || isShown(listed.standing, isOurs),
  );
  return { ...sessions, shown, now };
}

/** Prints the lines of a session at each change of it, until it is interrupted. */
async function watch(args: Arguments): Promise<number> {
  const stray = ["adopt", "json"].find((name) => args.has(name));
  if (stray !== undefined)
    throw new ConsultaError("REFUSED", `--watch is for people; leave out --${stray}`);
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
function keyOf({ listed }: FoundSession): string {
  if (!("standing" in listed)) return `${listed.id} ${listed.fault}`;
  const { phase, waitingFor, paused, needsPerson, lastAt } = listed.standing;
  return JSON.stringify([listed.id, phase, waitingFor, paused, needsPerson, lastAt]);
}

function tell(
  args: Arguments,
  { found, ended: endedCount, unseen: unseenCount, shown, now }: Looked,
  remote: readonly { id: string; join: string }[],
): undefined {
  const ours = shown.filter(({ isOurs }) => isOurs);
  const people = ours.flatMap((it) => peersIn(it, now));
  const silent = people.filter(isMissed);
  // A peer that is silent in one session is told of, although it is present in another.
  const byName = new Map([...people, ...silent].map((it) => [it.name, it]));
  if (args.has("json")) {
    const presence = Object.fromEntries([...byName].map(([name, it]) => [name, it.presence]));
    const sessions = shown.map(({ listed, sent, isOurs, stale }) => ({
      ...listed,
      ...defined({ stale }),
      sent,
      begun_here: isOurs,
    }));
    const missed = silent.map(({ place: _, ...it }) => it);
    const more = args.has("store") ? { remote } : {};
    print(`${JSON.stringify({ sessions, presence, silent: missed, ...more })}\n`);
    return undefined;
  }
  for (const it of shown) printLines(...linesOf(it, now));
  printLines(...remote.map(({ id, join }) => `${id}: not joined here; to join it: ${join}`));
  if (remote.length > 0)
    printLines(
      "where a peer's line says --signed, add it: then no unsigned session is joined in its place",
    );
  for (const it of byName.values()) {
    const died = waiterText(it, lineFor(args, "consult", it.place));
    printLines(died ?? `${plainWord(it.name)}: ${presenceText(it)}`);
  }
  printLines(...new Set(ours.flatMap((it) => (missesSomebody(it, now) ? it.whenSilent : []))));
  printLines(...lettersToEnter(args), ...lettersRefused(args, shown));
  const hidden = found.length + endedCount - shown.length;
  if (unseenCount > 0)
    printLines(
      `${plural(unseenCount, "older session")} not looked at: ${limits.sessionsLooked} at a time`,
    );
  printLines(
    `${plural(shown.length, "session")} shown${hidden > 0 ? `, ${plural(hidden, "ended one")} hidden (--all shows what has ended)` : ""}`,
  );
  return undefined;
}

async function tellPaid(args: Arguments): Promise<undefined> {
  const paid = await paidIn(workspaceOf(args));
  if (args.has("json")) print(`${JSON.stringify(paid)}\n`);
  else printLines(...paidLines(paid));
}

function linesOf(found: FoundSession, now: string): string[] {
  const { listed, sent, isOurs, stale, pausedBy } = found;
  const { id } = listed;
  if (!("standing" in listed)) return [`${id}: unreadable: ${listed.fault}`];
  const { paused, needsPerson } = listed.standing;
  const yours = [
    ...(paused === undefined ? [] : [pausedText(paused, pausedBy)]),
    ...(needsPerson === undefined ? [] : [needText(needsPerson)]),
  ];
  const more = isOurs
    ? [...yours, ...(stale === undefined ? [] : [stale]), ...onItsWay(sent)]
    : [notBegunHere];
  return [lineOf(listed.standing, id, now), ...more.map((line) => `  ${line}`)];
}

const notBegunHere = "not begun here: it may have come with the project (see --help)";

/** Adopts what is shown; a session that cannot be read stays as it is. */
async function adopt(shown: readonly FoundSession[]): Promise<undefined> {
  await refuseBelowCli("--adopt takes over what others may have written");
  const strays = shown.filter(({ listed, isOurs }) => "standing" in listed && !isOurs);
  for (const { place } of strays) {
    const isAdopted = adoptLog(place.folder);
    const said = isAdopted ? "counts as begun here by you" : "has no event yet and stays as it is";
    printLines(`${place.id}: ${said}`);
  }
  if (strays.length === 0) printLines("nothing to adopt: what is shown was begun here by you");
}

/** Mail that was not entered yet; only where no session was named, because it may be of any. */
function lettersToEnter(args: Arguments): string[] {
  if (args.has("session") || args.has("folder") || isFreshClone(args)) return [];
  return lettersByHand(workspaceOf(args));
}

/** Letters that were refused since the oldest of the sessions shown began, and lie in errors/. */
function lettersRefused(args: Arguments, shown: readonly FoundSession[]): string[] {
  if (args.has("folder")) return [];
  const began = shown.flatMap(({ listed }) =>
    "standing" in listed && staysListed(listed.standing) ? [listed.standing.startedAt] : [],
  );
  const [since] = began.sort();
  if (since === undefined) return [];
  return refusedSince(workspaceOf(args), since).map(
    ({ file, reason, inbox }) =>
      `rejected mail in ${inline(inbox)}, now in errors/: ${inline(file)}: ${inline(reason)}`,
  );
}

/** Whether status lists it without --all: open, or waiting for the user's decision. */
function isShown(standing: SessionStatus, isOurs: boolean): boolean {
  return staysListed(standing) || (standing.needsPerson !== undefined && isOurs);
}

/** A board stays worth reading when everybody is ready. */
function staysListed({ ended, hasTurns }: SessionStatus): boolean {
  return !ended || !hasTurns;
}

function peersIn(
  { listed, place, players }: FoundSession,
  now: string,
): (PeerStatus & { place: Place })[] {
  if (!("standing" in listed)) return [];
  const { standing } = listed;
  return standing.participants.map((name) => ({
    ...peerStatusOf(place, name, standing, players, now),
    place,
  }));
}

function isMissed({ silentSeconds, ended }: PeerStatus): boolean {
  return silentSeconds !== undefined || ended !== undefined;
}

/** Whether a session waits for somebody who is silent. */
function missesSomebody(found: FoundSession, now: string): boolean {
  const { listed } = found;
  if (!("standing" in listed)) return false;
  const { waitingFor } = listed.standing;
  return peersIn(found, now).some((it) => isMissed(it) && waitingFor.includes(it.name));
}

/** Of many messages the newest matter. */
const sentShownMax = 4;

function onItsWay(sent: readonly SentMessage[]): string[] {
  return [...sent]
    .sort((one, other) => one.seq - other.seq)
    .slice(-sentShownMax)
    .map((it) => {
      const late = it.overdueAfterSeconds === undefined ? "" : "OVERDUE: ";
      return `${late}message ${it.seq} from ${it.from} to ${it.to}: ${stateText(it)}`;
    });
}

function presenceText({ presence, isRunning, silentSeconds }: PeerStatus): string {
  if (presence.present) return `waiting, heartbeat ${presence.secondsAgo} s ago`;
  if (isRunning) return "not waiting, its CLI is running";
  if (silentSeconds === undefined) return "not waiting";
  const minutes = Math.round(silentSeconds / 60);
  return `has the turn and gave no sign for ${minutes} min: it may have vanished`;
}

function lineOf(standing: SessionStatus, id: string, now: string): string {
  const turn = standing.ended ? standing.phase : turnText(standing);
  const age = ageText(standing, now);
  const topic = standing.topic === "" ? "" : inline(standing.topic);
  const parts = [standing.verdict ?? "", standing.summary, `last event ${age}`, topic];
  const about = parts.filter((part) => part !== "").join("; ");
  return `${id}: ${standing.kind}, ${turn}; ${about}`;
}

function turnText({ phase, waitingFor, hasTurns }: SessionStatus): string {
  const called = hasTurns ? "turn" : "not ready";
  return waitingFor.length > 0 ? `${phase}, ${called}: ${waitingFor.join(" and ")}` : phase;
}

function ageText({ lastAt }: SessionStatus, now: string): string {
  const minutes = Math.floor((millisecondsOf(now) - millisecondsOf(lastAt)) / 60_000);
  return Number.isNaN(minutes) ? `at ${unreadableTime}` : `${minutes} min ago`;
}
