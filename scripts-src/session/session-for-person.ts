import { ConsultaError } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import type { Arguments, OptionSpec } from "../script/arguments.ts";
import { onlySession } from "./only-session.ts";
import { type Place, placeIn } from "./place.ts";
import { type ListedSession, latestSessions, listOpen, listSessions } from "./session-list.ts";
import { workspaceOf } from "./session-options.ts";
import { sessionsNamed } from "./which-session.ts";
import type { Workspace } from "./workspace/workspace.ts";

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
  const id = args.one("session") ?? onlySession(workspace);
  return placeIn(workspace, parseSessionId(id));
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
