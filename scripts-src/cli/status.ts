import { type Colleague, colleagueOf, playersIn } from "../app/colleague.ts";
import { lettersByHand } from "../app/delivered-mail.ts";
import { notedPlaces } from "../app/noted-places.ts";
import { withChanges } from "../app/notice-changes.ts";
import { type Place, placeIn } from "../app/place.ts";
import { refusedSince } from "../app/refused-mail.ts";
import type { Seated } from "../app/seats.ts";
import { type SentMessage, sentMessages } from "../app/sent-messages.ts";
import { loadSession, sessionIds, standingOf } from "../app/session.ts";
import { type Listed, openSessions } from "../app/session-list.ts";
import { counted } from "../core/counted.ts";
import { ConsultaError } from "../core/errors.ts";
import { inline } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { parseSessionId } from "../core/names.ts";
import type { Standing } from "../core/protocol.ts";
import { millisecondsOf, unreadableTime } from "../core/time.ts";
import type { Arguments, ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import {
  folderOf,
  folderOption,
  jsonOption,
  lineFor,
  sessionOption,
  workspaceOf,
  workspaceOption,
} from "../host/context.ts";
import { letAgentsUse } from "../host/note-place.ts";
import { say, sayLines, talkLines } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";
import { adoptLog, isBegunHere } from "../store/begun-here.ts";
import { nameText, stateText, waiterText } from "../view/delivery-text.ts";

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
    jsonOption,
  ],
  notes: [
    "A session that was not begun here may have come with the project: nothing goes on with it, learns of it",
    "or names it unasked until you adopt it, in a terminal: status --session ID --adopt.",
  ],
};

runScript(spec, async (args) => {
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
    const sessions = shown.map(({ listed, sent, isOurs }) => ({
      ...listed,
      sent,
      begun_here: isOurs,
    }));
    const missed = silent.map(({ place: _, ...it }) => it);
    say(`${JSON.stringify({ sessions, presence, silent: missed })}\n`);
    return undefined;
  }
  for (const it of shown) sayLines(...linesOf(it, now));
  for (const it of byName.values()) {
    const died = waiterText(it, lineFor(args, "consult", it.place));
    sayLines(died ?? `${nameText(it.name)}: ${presenceText(it)}`);
  }
  const missesOne = ours.some((it) => missesSomebody(it, now));
  if (missesOne) sayLines(whenSilent);
  sayLines(...lettersToEnter(args), ...lettersRefused(args, shown));
  const hidden = found.length + ended - shown.length;
  if (unseen > 0)
    sayLines(
      `${counted(unseen, "older session")} not looked at: ${limits.sessionsLooked} at a time`,
    );
  sayLines(
    `${counted(shown.length, "session")} shown${hidden > 0 ? `, ${counted(hidden, "ended one")} hidden (--all shows what has ended)` : ""}`,
  );
  return undefined;
});

function linesOf({ listed, sent, isOurs }: Found, now: string): string[] {
  const { id } = listed;
  if (!("standing" in listed)) return [`${id}: unreadable: ${listed.fault}`];
  const more = isOurs ? onItsWay(sent) : [notBegunHere];
  return [lineOf(listed.standing, id, now), ...more.map((line) => `  ${line}`)];
}

const notBegunHere = "not begun here: it may have come with the project (see --help)";

/** Says what it adopted; what cannot be read stays as it is. */
async function adopt(shown: readonly Found[]): Promise<undefined> {
  const { refuseBelowCli } = await import("../host/for-people.ts");
  await refuseBelowCli("--adopt takes over what others may have written");
  const strays = shown.filter(({ listed, isOurs }) => "standing" in listed && !isOurs);
  for (const { place } of strays) {
    const isAdopted = await adoptLog(place.folder);
    const said = isAdopted ? "counts as begun here by you" : "has no event yet and stays as it is";
    sayLines(`${place.id}: ${said}`);
  }
  if (strays.length === 0) sayLines("nothing to adopt: what is shown was begun here by you");
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
function isOpen({ ended, hasTurns }: Standing): boolean {
  return !ended || !hasTurns;
}

interface Found {
  readonly place: Place;
  readonly listed: Listed;
  /** What nobody acted on yet, while the session is open. */
  readonly sent: readonly SentMessage[];
  /** Whether it was begun here, or lies elsewhere and was joined from here. */
  readonly isOurs: boolean;
  readonly players: readonly Seated[];
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
    if (await letAgentsUse(place)) talkLines(`agents of yours may use ${place.folder} from now on`);
    return alone(found);
  }
  const workspace = workspaceOf(args);
  const id = args.one("session");
  if (id !== undefined) return alone(await find(placeIn(workspace, parseSessionId(id))));
  const worth = openSessions(workspace);
  const ids = args.has("all") ? sessionIds(workspace) : worth.ids;
  const found: Found[] = [];
  for (const id of ids) found.push(await findOrTell(placeIn(workspace, id)));
  for (const place of notedPlaces(workspace))
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
  const session = await withChanges(await loadSession(place), systemClock);
  const standing = standingOf(session);
  const players = standing.ended ? [] : await playersIn(place);
  const sent = standing.ended ? [] : sentMessages(session, players, systemClock.now());
  const isOurs = isBegunHere(place.folder);
  return { place, listed: { id: place.id, standing }, sent, isOurs, players };
}

/** A session that cannot be read says why, and hides no other. */
async function findOrTell(place: Place): Promise<Found> {
  try {
    return await find(place);
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    const isOurs = isBegunHere(place.folder);
    const listed = { id: place.id, fault: cause.message };
    return { place, listed, sent: [], isOurs, players: [] };
  }
}

function colleaguesIn(
  { listed, place, players }: Found,
  now: string,
): (Colleague & { place: Place })[] {
  if (!("standing" in listed)) return [];
  const { standing } = listed;
  return standing.participants.map((name) => ({
    ...colleagueOf(place, name, standing, players, now),
    place,
  }));
}

function isMissed({ silentSeconds, ended }: Colleague): boolean {
  return silentSeconds !== undefined || ended !== undefined;
}

/** Whether a collaboration waits for somebody who is silent; a dialogue has other ways out. */
function missesSomebody(found: Found, now: string): boolean {
  const { listed } = found;
  if (!("standing" in listed) || listed.standing.kind !== "collaboration") return false;
  const { waitingFor } = listed.standing;
  return colleaguesIn(found, now).some((it) => isMissed(it) && waitingFor.includes(it.name));
}

const whenSilent =
  "who may have vanished: ask the user to restart its CLI with its prompt, or to run it headless with " +
  "consult; when it cannot come back, append blocked, which any other participant can";

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

function presenceText({ presence, isRunning, silentSeconds }: Colleague): string {
  if (presence.present) return `waiting, heartbeat ${presence.secondsAgo} s ago`;
  if (isRunning) return "not waiting, its CLI is running";
  if (silentSeconds === undefined) return "not waiting";
  const minutes = Math.round(silentSeconds / 60);
  return `has the turn and gave no sign for ${minutes} min: it may have vanished`;
}

function lineOf(standing: Standing, id: string, now: string): string {
  const called = standing.hasTurns ? "turn" : "not ready";
  const waiting =
    standing.waitingFor.length > 0 ? `, ${called}: ${standing.waitingFor.join(" and ")}` : "";
  const turn = standing.ended ? standing.phase : `${standing.phase}${waiting}`;
  const minutes = Math.floor((millisecondsOf(now) - millisecondsOf(standing.lastAt)) / 60_000);
  const age = Number.isNaN(minutes) ? `at ${unreadableTime}` : `${minutes} min ago`;
  const topic = standing.topic === "" ? "" : inline(standing.topic);
  const parts = [standing.summary, `last event ${age}`, topic];
  const about = parts.filter((part) => part !== "").join("; ");
  return `${id}: ${standing.kind}, ${turn}; ${about}`;
}
