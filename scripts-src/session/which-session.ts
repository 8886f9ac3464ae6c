import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { parseSessionId } from "../base/names.ts";
import { nearestName } from "../base/nearest-name.ts";
import { ensureUserKey } from "../files/user-key.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import type { Arguments, OptionSpec } from "../script/arguments.ts";
import { commandLine, givenPath } from "../script/command-line.ts";
import { takeMailAloud } from "./inbox/import-inbox.ts";
import { lettersByHand } from "./inbox/mailbox.ts";
import { type Place, placeAt, placeIn } from "./place.ts";
import { isSessionFolder, type NamedStatus, sessionIds } from "./session.ts";
import {
  isOurs,
  type ListedSession,
  latestSessions,
  listOpen,
  listSessions,
} from "./session-list.ts";
import { workspaceOf } from "./session-options.ts";
import type { Workspace } from "./workspace/workspace.ts";

/**
 * The session that a command line is about: its folder, or its name in the workspace. Mail is entered
 * first where that is not there yet: a peer by hand begins a session by a letter.
 * @throws ConsultaError REFUSED when it names none, or both.
 */
export async function placeOf(args: Arguments, participant: string): Promise<Place> {
  const named = folderAsked(args);
  if (named !== undefined) return named;
  const workspace = workspaceOf(args);
  const given = args.one("session");
  const asked = given === undefined ? undefined : placeIn(workspace, parseSessionId(given));
  if (asked !== undefined && isSessionFolder(asked.folder)) return asked;
  await takeMailAloud(workspace, participant, new Set());
  return asked ?? placeIn(workspace, await sessionOf(workspace, args, participant));
}

/** The place that `--folder` names; undefined without it. `at` says what a missing folder means. */
export function folderAsked(args: Arguments, at = placeAt): Place | undefined {
  const folder = args.one("folder");
  if (folder === undefined) return undefined;
  const other = ["session", "workspace"].find((name) => args.has(name));
  if (other === undefined) return at(folder);
  throw new ConsultaError(
    "REFUSED",
    `--folder and --${other} came; --folder alone names a session, leave out --${other}`,
  );
}

/**
 * The session that is meant: of those that were begun here the participant's only open one, else the
 * one that ended last.
 * @throws ConsultaError REFUSED when there is none, more than one, one that cannot be read, or only
 * one that may have come with the project.
 */
async function sessionOf(
  workspace: Workspace,
  args: Arguments,
  participant: string,
): Promise<string> {
  const listed = await listOpen(workspace);
  const unreadable = listed.find((it) => "fault" in it);
  if (unreadable !== undefined && "fault" in unreadable) {
    throw new ConsultaError(
      "REFUSED",
      `session ${unreadable.id} cannot be read: ${unreadable.fault}; or give --session`,
    );
  }
  // Nobody is called to where there are no turns: that is not what is meant without a name.
  const turns = ownIn(listed, participant).filter(({ hasTurns, ended }) => hasTurns && !ended);
  const open = turns.filter(({ id }) => isOurs(workspace, id));
  if (open.length > 1) {
    const ids = sessionsNamed(open);
    throw new ConsultaError(
      "REFUSED",
      `${participant} has several open sessions; give --session with one of: ${ids}`,
    );
  }
  if (open[0] !== undefined) return open[0].id;
  const latest = await latestOf(workspace, listed, participant);
  if (latest !== undefined && isOurs(workspace, latest.id)) return latest.id;
  const stray = turns[0] ?? latest;
  if (stray !== undefined) throw strayFailure(args, stray);
  if (listed.length === 0) throw new ConsultaError("REFUSED", noSessionHere(workspace));
  const near = nearestName(participant, participantsIn(listed));
  const hint = near === undefined ? "" : `did you mean ${near}? `;
  throw new ConsultaError(
    "REFUSED",
    `${participant} is in no session here; ${hint}there are: ${sessionsNamed(listed)}`,
  );
}

function participantsIn(listed: readonly ListedSession[]): Set<string> {
  return new Set(listed.flatMap((it) => ("standing" in it ? it.standing.participants : [])));
}

function ownIn(listed: readonly ListedSession[], participant: string): NamedStatus[] {
  return listed.flatMap((it) =>
    "standing" in it && it.standing.participants.includes(participant) ? [it.standing] : [],
  );
}

/** The session of a participant in which somebody acted last; first those begun here, and with turns. */
async function latestOf(
  workspace: Workspace,
  listed: readonly ListedSession[],
  participant: string,
): Promise<NamedStatus | undefined> {
  const seen = new Set(listed.map(({ id }) => id));
  const others = latestSessions(workspace).filter((id) => !seen.has(id));
  const all = ownIn([...listed, ...(await listSessions(workspace, others))], participant);
  const begun = firstOf(all, ({ id }) => isOurs(workspace, id));
  const among = firstOf(begun, ({ hasTurns }) => hasTurns);
  return among.sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1))[0];
}

/** Those that are wanted; all where none is. */
function firstOf<T>(all: readonly T[], isWanted: (it: T) => boolean): T[] {
  const wanted = all.filter(isWanted);
  return wanted.length > 0 ? wanted : [...all];
}

/** Nobody goes on in a session that a clone may have brought because it is the only one there. */
function strayFailure(args: Arguments, { id }: NamedStatus): ConsultaError {
  const adopt = commandLine("status", { workspace: givenPath(args, "workspace"), session: id });
  const wayOut = ensureUserKey()
    ? `the user makes it yours by: ${adopt} --adopt`
    : "without a key in ~/.consulta none is known as yours";
  return new ConsultaError(
    "REFUSED",
    `session ${id} was not begun here by you: it may have come with the project; if the user wants it, ` +
      `give --session ${id}; ${wayOut}`,
  );
}

function sessionsNamed(sessions: readonly { readonly id: string }[]): string {
  const more = sessions.length - limits.sessionsNamed;
  const ids = sessions.slice(0, limits.sessionsNamed).map(({ id }) => id);
  return `${ids.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What every script says where nothing was begun yet, or only by a letter. */
function noSessionHere(workspace: Workspace): string {
  const letters = lettersByHand(workspace);
  return `there is no session here; ${letters.length > 0 ? letters.join("; ") : "open one with init"}`;
}

/**
 * The session that is meant where none is named: the only one of its workspace.
 * @throws ConsultaError REFUSED where there is none, or more than one.
 */
export function onlySession(workspace: Workspace): string {
  const ids = sessionIds(workspace);
  const [only, second] = ids;
  if (only !== undefined && second === undefined) return only;
  const which =
    ids.length === 0 ? noSessionHere(workspace) : `give --session with one of: ${ids.join(", ")}`;
  throw new ConsultaError("REFUSED", which);
}

export const onlyOption: OptionSpec = {
  flags: "--session <id>",
  text: "the session (default: the only one)",
};

/**
 * The session that a person means.
 * @throws ConsultaError REFUSED when there is none, or more than one and none was named.
 */
export function onlyPlace(args: Arguments): Place {
  const workspace = workspaceOf(args);
  return placeIn(workspace, parseSessionId(args.one("session") ?? onlySession(workspace)));
}

/**
 * The session that is named, else the only open one.
 * `toDo` ends the message where there is none: there is nothing to `pause`, to `say it to`.
 * @throws ConsultaError REFUSED when there is none, or more than one.
 */
export async function onlyOpenPlace(args: Arguments, toDo: string): Promise<Place> {
  return placeAmong(args, listOpen, {
    isMeant: ({ ended, hasTurns }) => !ended && hasTurns,
    none: `no session is open here: there is nothing to ${toDo}`,
    several: "sessions are open",
  });
}

/**
 * The session that is named, else the only one that waits for the person.
 * @throws ConsultaError REFUSED when there is none, or more than one.
 */
export async function onlyPlaceThatNeedsPerson(args: Arguments): Promise<Place> {
  return placeAmong(args, (workspace) => listSessions(workspace, latestSessions(workspace)), {
    isMeant: ({ needsPerson }) => needsPerson !== undefined,
    none: "no session here waits for you",
    several: "sessions wait for you",
  });
}

interface Meant {
  isMeant(standing: SessionStatus): boolean;
  readonly none: string;
  readonly several: string;
}

async function placeAmong(
  args: Arguments,
  list: (workspace: Workspace) => Promise<readonly ListedSession[]>,
  { isMeant, none, several }: Meant,
): Promise<Place> {
  const workspace = workspaceOf(args);
  const given = args.one("session");
  if (given !== undefined) return placeIn(workspace, parseSessionId(given));
  const listed = await list(workspace);
  const meant = listed.filter((it) => "standing" in it && isMeant(it.standing));
  const [only, second] = meant;
  if (only !== undefined && second === undefined) return placeIn(workspace, only.id);
  const which =
    meant.length === 0
      ? none
      : `${meant.length} ${several}; give --session with one of: ${sessionsNamed(meant)}`;
  throw new ConsultaError("REFUSED", which);
}
