import { counted } from "../base/counted.ts";
import { ConsultaError } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { parseSessionId } from "../base/names.ts";
import { millisecondsOf, unreadableTime } from "../base/time.ts";
import type { RegisteredCli } from "../clis/cli-registry.ts";
import { adoptLog, isBegunHere } from "../log/begun-here.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import {
  folderOf,
  folderOption,
  jsonOption,
  lineFor,
  sessionOption,
  workspaceOf,
  workspaceOption,
} from "../session/context.ts";
import { previewChanges } from "../session/import-changes.ts";
import { lettersByHand } from "../session/inbox/delivered-mail.ts";
import { refusedSince } from "../session/inbox/refused-mail.ts";
import { type SentMessage, sentMessages } from "../session/inbox/sent-messages.ts";
import { isRehearsed } from "../session/past/rehearsed.ts";
import { type Place, placeIn } from "../session/place.ts";
import { runInProject } from "../session/run-in-project.ts";
import { loadSession, type Session, sessionIds, standingOf } from "../session/session.ts";
import { type Listed, openSessions } from "../session/session-list.ts";
import { nameText, stateText, waiterText } from "../session/text/delivery-text.ts";
import { type PeerStatus, peerStatusOf, registeredClis } from "../session/waiting/peer-status.ts";
import { knownSessions } from "../session/workspace/known-sessions.ts";
import { letAgentsUse } from "../session/workspace/remember-session.ts";

const spec: ScriptSpec = {
  name: "status",
  summary: "List the workspace's sessions: where each stands, who has the turn, who is waiting.",
  options: [
    { flags: "--all", text: "also sessions that have ended" },
    { ...sessionOption, text: "only this session" },
    { ...folderOption, text: "only the session in this folder, wherever it lies" },
    workspaceOption,
    {
      flags: "--adopt",
      text: "count the sessions that it shows as begun here by you: see docs/security.md",
    },
    {
      flags: "--paid",
      text: "count whether the second model paid: decisions, what it changed, what became of them",
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
  const now = systemClock.now();
  const { found, ended, unseen } = await findSessions(args);
  // Whoever names a session wants to see it, however it ended.
  const all = ["all", "session", "folder"].some((name) => args.has(name));
  const shown = found.filter(
    ({ listed }) => all || !("standing" in listed) || isOpen(listed.standing),
  );
  if (args.has("adopt")) return adopt(shown);
  const ours = shown.filter(({ isOurs }) => isOurs);
  const people = ours.flatMap((it) => colleaguesIn(it, now));
  const silent = people.filter(isMissed);
  // Whoever is silent in one session is not hidden by its presence in another.
  const byName = new Map([...people, ...silent].map((it) => [it.name, it]));
  if (args.has("json")) {
    const presence = Object.fromEntries([...byName].map(([name, it]) => [name, it.presence]));
    const sessions = shown.map(({ listed, sent, isOurs, stale }) => ({
      ...listed,
      ...(stale === undefined ? {} : { stale }),
      sent,
      begun_here: isOurs,
    }));
    const missed = silent.map(({ place: _, ...it }) => it);
    print(`${JSON.stringify({ sessions, presence, silent: missed })}\n`);
    return undefined;
  }
  for (const it of shown) printLines(...linesOf(it, now));
  for (const it of byName.values()) {
    const died = waiterText(it, lineFor(args, "consult", it.place));
    printLines(died ?? `${nameText(it.name)}: ${presenceText(it)}`);
  }
  printLines(...new Set(ours.flatMap((it) => (missesSomebody(it, now) ? it.whenSilent : []))));
  printLines(...lettersToEnter(args), ...lettersRefused(args, shown));
  const hidden = found.length + ended - shown.length;
  if (unseen > 0)
    printLines(
      `${counted(unseen, "older session")} not looked at: ${limits.sessionsLooked} at a time`,
    );
  printLines(
    `${counted(shown.length, "session")} shown${hidden > 0 ? `, ${counted(hidden, "ended one")} hidden (--all shows what has ended)` : ""}`,
  );
  return undefined;
});

async function tellPaid(args: Arguments): Promise<undefined> {
  const { paidIn, paidLines } = await import("../session/paid.ts");
  const paid = await paidIn(workspaceOf(args));
  if (args.has("json")) print(`${JSON.stringify(paid)}\n`);
  else printLines(...paidLines(paid));
}

function linesOf({ listed, sent, isOurs, stale, place }: Found, now: string): string[] {
  const { id } = listed;
  if (!("standing" in listed)) return [`${id}: unreadable: ${listed.fault}`];
  const more = isOurs
    ? [...(stale === undefined ? [] : [stale]), ...onItsWay(sent)]
    : [notBegunHere];
  const isDryRun = isRehearsed(place.folder);
  const standing = isDryRun ? { ...listed.standing, verdict: "DRY RUN" } : listed.standing;
  return [lineOf(standing, id, now), ...more.map((line) => `  ${line}`)];
}

/** Most sessions rest on no record: only for others the look is loaded. */
async function staleNow({ machine, place }: Session): Promise<string | undefined> {
  const records = machine.restsOn();
  if (records.length === 0 || place.workspace === undefined) return undefined;
  const { staleOf, staleText } = await import("../session/staleness.ts");
  return staleText(staleOf(records, place.workspace.project));
}

const notBegunHere = "not begun here: it may have come with the project (see --help)";

/** Says what it adopted; what cannot be read stays as it is. */
async function adopt(shown: readonly Found[]): Promise<undefined> {
  const { refuseBelowCli } = await import("../session/refuse-agents.ts");
  await refuseBelowCli("--adopt takes over what others may have written");
  const strays = shown.filter(({ listed, isOurs }) => "standing" in listed && !isOurs);
  for (const { place } of strays) {
    const isAdopted = await adoptLog(place.folder);
    const said = isAdopted ? "counts as begun here by you" : "has no event yet and stays as it is";
    printLines(`${place.id}: ${said}`);
  }
  if (strays.length === 0) printLines("nothing to adopt: what is shown was begun here by you");
}

/** For whoever names no session: mail that nobody entered may be of any. */
function lettersToEnter(args: Arguments): string[] {
  if (args.has("session") || args.has("folder")) return [];
  return lettersByHand(workspaceOf(args)).map(({ inbox, letters }) => {
    const name = inbox.slice("inbox-".length);
    return `${counted(letters, "letter")} in ${inbox} not entered yet: next-action as ${name} enters mail, or says why it waits`;
  });
}

/** Letters that were refused since the oldest of the sessions shown began, and lie in errors/. */
function lettersRefused(args: Arguments, shown: readonly Found[]): string[] {
  if (args.has("folder")) return [];
  const began = shown.flatMap(({ listed }) =>
    "standing" in listed && isOpen(listed.standing) ? [listed.standing.startedAt] : [],
  );
  const [since] = began.sort();
  if (since === undefined) return [];
  return refusedSince(workspaceOf(args), since).map(
    ({ file, reason, inbox }) =>
      `refused mail in ${inline(inbox)}, now in errors/: ${inline(file)}: ${inline(reason)}`,
  );
}

/** A board stays worth reading when everybody is ready. */
function isOpen({ ended, hasTurns }: SessionStatus): boolean {
  return !ended || !hasTurns;
}

interface Found {
  readonly place: Place;
  readonly listed: Listed;
  /** What nobody acted on yet, while the session is open. */
  readonly sent: readonly SentMessage[];
  /** Whether it was begun here, or lies elsewhere and was joined from here. */
  readonly isOurs: boolean;
  readonly players: readonly RegisteredCli[];
  /** What people are told where somebody is silent that it waits for; nothing where it has other ways out. */
  readonly whenSilent: readonly string[];
  /** That it rests on lines that have changed since. */
  readonly stale?: string;
}

interface FoundSessions {
  readonly found: Found[];
  /** Ended sessions that were not looked at, and others. */
  readonly ended: number;
  readonly unseen: number;
}

async function findSessions(args: Arguments): Promise<FoundSessions> {
  const place = folderOf(args);
  if (place !== undefined) {
    const found = await find(place);
    if (await letAgentsUse(place))
      printErrorLines(`agents of yours may use ${place.folder} from now on`);
    return alone(found);
  }
  const workspace = workspaceOf(args);
  const id = args.one("session");
  if (id !== undefined) return alone(await find(placeIn(workspace, parseSessionId(id))));
  const worth = openSessions(workspace);
  const ids = args.has("all") ? sessionIds(workspace) : worth.ids;
  const found: Found[] = [];
  for (const id of ids) found.push(await findOrTell(placeIn(workspace, id)));
  for (const place of knownSessions(workspace))
    found.push({ ...(await findOrTell(place)), isOurs: true });
  for (const { listed } of found)
    if ("standing" in listed) worth.noteEnded(listed.id, listed.standing);
  worth.keep();
  return args.has("all") ? { found, ended: 0, unseen: 0 } : { ...worth, found };
}

function alone(found: Found): FoundSessions {
  return { found: [found], ended: 0, unseen: 0 };
}

async function find(place: Place): Promise<Found> {
  const session = await previewChanges(await loadSession(place), systemClock);
  const standing = standingOf(session);
  const players = standing.ended ? [] : await registeredClis(place);
  const sent = standing.ended ? [] : sentMessages(session, players, systemClock.now());
  const isOurs = isBegunHere(place.folder);
  const { whenSilent } = session.kind.traits;
  const stale = standing.ended ? await staleNow(session) : undefined;
  return {
    ...(stale === undefined ? {} : { stale }),
    ...{ place, listed: { id: place.id, standing }, sent, isOurs, players },
    whenSilent: whenSilent === undefined ? [] : [whenSilent],
  };
}

/** A session that cannot be read says why, and hides no other. */
async function findOrTell(place: Place): Promise<Found> {
  try {
    return await find(place);
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    const isOurs = isBegunHere(place.folder);
    const listed = { id: place.id, fault: cause.message };
    return { place, listed, sent: [], isOurs, players: [], whenSilent: [] };
  }
}

function colleaguesIn(
  { listed, place, players }: Found,
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
function missesSomebody(found: Found, now: string): boolean {
  const { listed } = found;
  if (!("standing" in listed)) return false;
  const { waitingFor } = listed.standing;
  return colleaguesIn(found, now).some((it) => isMissed(it) && waitingFor.includes(it.name));
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
  const called = standing.hasTurns ? "turn" : "not ready";
  const waiting =
    standing.waitingFor.length > 0 ? `, ${called}: ${standing.waitingFor.join(" and ")}` : "";
  const turn = standing.ended ? standing.phase : `${standing.phase}${waiting}`;
  const minutes = Math.floor((millisecondsOf(now) - millisecondsOf(standing.lastAt)) / 60_000);
  const age = Number.isNaN(minutes) ? `at ${unreadableTime}` : `${minutes} min ago`;
  const topic = standing.topic === "" ? "" : inline(standing.topic);
  const parts = [standing.verdict ?? "", standing.summary, `last event ${age}`, topic];
  const about = parts.filter((part) => part !== "").join("; ");
  return `${id}: ${standing.kind}, ${turn}; ${about}`;
}
