import { type ConsultaError, refused } from "../base/errors.ts";
import { firstOf } from "../base/first-of.ts";
import { limits } from "../base/limits.ts";
import { parseSessionId } from "../base/names.ts";
import { nearestName } from "../base/nearest-name.ts";
import { ensureUserKey } from "../files/user-key.ts";
import type { Arguments } from "../script/arguments.ts";
import { commandLine, givenPath } from "../script/command-line.ts";
import { takeMailAloud } from "./inbox/import-inbox.ts";
import { lettersByHand } from "./inbox/mailbox.ts";
import { type Place, placeAt, placeIn } from "./place.ts";
import { isSessionFolder, type NamedStatus, sessionIds } from "./session.ts";
import {
  isOurs,
  type ListedSession,
  listOthers,
  listSessions,
  standingsIn,
} from "./session-list.ts";
import { workspaceOf } from "./session-options.ts";
import type { Workspace } from "./workspace/workspace.ts";

/**
 * The session that a participant's command line is about: its folder, or its name in the workspace, else the
 * participant's only open one. Where that is not there, mail is entered first: a peer by hand begins a session by a
 * letter.
 * @throws ConsultaError REFUSED when it names none, or both.
 */
export async function placeOf(args: Arguments, participant: string): Promise<Place> {
  const named = folderAsked(args);
  if (named !== undefined) return named;
  const workspace = workspaceOf(args);
  const asked = placeNamed(workspace, args);
  if (asked !== undefined && isSessionFolder(asked.folder)) return asked;
  const known =
    asked === undefined ? openIn(workspace, participant, await listSessions(workspace)) : undefined;
  if (known !== undefined) return placeIn(workspace, known);
  await takeMailAloud(workspace, participant, new Set());
  return asked ?? placeIn(workspace, await sessionOf(workspace, args, participant));
}

/** The place that `--folder` names; undefined without it. `at` says what a missing folder means. */
export function folderAsked(args: Arguments, at = placeAt): Place | undefined {
  const folder = args.one("folder");
  if (folder === undefined) return undefined;
  const other = ["session", "workspace"].find((name) => args.has(name));
  if (other === undefined) return at(folder);
  throw refused(
    `--folder and --${other} came; --folder alone names a session, leave out --${other}`,
  );
}

function placeNamed(workspace: Workspace, args: Arguments): Place | undefined {
  const given = args.one("session");
  return given === undefined ? undefined : placeIn(workspace, parseSessionId(given));
}

/**
 * Of the sessions that were begun here the participant's only open one, if there is one.
 * @throws ConsultaError REFUSED when there are more, or one that cannot be read.
 */
function openIn(
  workspace: Workspace,
  participant: string,
  listed: readonly ListedSession[],
): string | undefined {
  const unreadable = listed.find(({ fault }) => fault !== undefined);
  if (unreadable !== undefined)
    throw refused(
      `session ${unreadable.id} cannot be read: ${unreadable.fault}; or give --session`,
    );
  // Nobody is called to where there are no turns: that is not what is meant without a name.
  const open = standingsIn(listed).filter(
    ({ id, participants, hasTurns, ended }) =>
      participants.includes(participant) && hasTurns && !ended && isOurs(workspace, id),
  );
  if (open.length === 0) return undefined;
  return theOnly(idsOf(open), "", `${participant} has several open sessions; `);
}

/**
 * Of the sessions that were begun here the participant's only open one, else the one in which somebody acted last.
 * @throws ConsultaError REFUSED when there is none, more than one, one that cannot be read, or only
 * one that may have come with the project.
 */
async function sessionOf(
  workspace: Workspace,
  args: Arguments,
  participant: string,
): Promise<string> {
  const listed = await listSessions(workspace);
  const only = openIn(workspace, participant, listed);
  if (only !== undefined) return only;
  const all = standingsIn([...listed, ...(await listOthers(workspace, listed))]).filter(
    ({ participants }) => participants.includes(participant),
  );
  const meant = latestOf(all.filter(({ id }) => isOurs(workspace, id)));
  if (meant !== undefined) return meant.id;
  const stray = latestOf(all);
  if (stray !== undefined) throw strayFailure(args, stray);
  if (listed.length === 0) throw refused(noSessionHere(workspace));
  const others = new Set(standingsIn(listed).flatMap(({ participants }) => participants));
  const near = nearestName(participant, others);
  const hint = near === undefined ? "" : `did you mean ${near}? `;
  throw refused(
    `${participant} is in no session here; ${hint}there are: ${namesOf(idsOf(listed))}`,
  );
}

/** Those with turns before those without. */
function latestOf(sessions: readonly NamedStatus[]): NamedStatus | undefined {
  const withTurns = sessions.filter(({ hasTurns }) => hasTurns);
  const among = withTurns.length > 0 ? withTurns : [...sessions];
  return among.sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1))[0];
}

/** Nobody goes on in a session that a clone may have brought because it is the only one there. */
function strayFailure(args: Arguments, { id }: NamedStatus): ConsultaError {
  const adopt = commandLine("status", { workspace: givenPath(args, "workspace"), session: id });
  const wayOut = ensureUserKey()
    ? `the user makes it yours by: ${adopt} --adopt`
    : "without a key in ~/.consulta none is known as yours";
  const reason = `session ${id} was not begun here by you: it may have come with the project`;
  return refused(`${reason}; if the user wants it, give --session ${id}; ${wayOut}`);
}

function idsOf(sessions: readonly { readonly id: string }[]): string[] {
  return sessions.map(({ id }) => id);
}

function namesOf(ids: readonly string[]): string {
  return firstOf(ids, limits.sessionsNamed, (more) => `and ${more} more`).join(", ");
}

/** The only one; @throws ConsultaError REFUSED where there is none, or more than one. */
function theOnly(ids: readonly string[], none: string, several = ""): string {
  const [only, second] = ids;
  if (only !== undefined && second === undefined) return only;
  throw refused(
    only === undefined ? none : `${several}give --session with one of: ${namesOf(ids)}`,
  );
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
  return theOnly(ids, ids.length === 0 ? noSessionHere(workspace) : "");
}

/**
 * The session that a person means.
 * @throws ConsultaError REFUSED when there is none, or more than one and none was named.
 */
export function onlyPlace(args: Arguments): Place {
  const workspace = workspaceOf(args);
  return placeNamed(workspace, args) ?? placeIn(workspace, onlySession(workspace));
}

/**
 * The session that is named, else the only one that is open, or that waits for the person. `toDo` says what is
 * to be done with it, as in: there is nothing to `pause`, to `say it to`.
 * @throws ConsultaError REFUSED when there is none, or more than one.
 */
export async function onlyPlaceThat(
  args: Arguments,
  is: "open" | "waits for the person",
  toDo: string,
): Promise<Place> {
  const workspace = workspaceOf(args);
  const named = placeNamed(workspace, args);
  if (named !== undefined) return named;
  const meant = standingsIn(await listSessions(workspace)).filter((it) =>
    is === "open" ? !it.ended && it.hasTurns : it.needsPerson !== undefined,
  );
  const [none, several] =
    is === "open"
      ? [`no session is open here: there is nothing to ${toDo}`, "sessions are open"]
      : ["no session here waits for you", "sessions wait for you"];
  return placeIn(workspace, theOnly(idsOf(meant), none, `${meant.length} ${several}; `));
}
