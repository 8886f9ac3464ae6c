import { ConsultaError } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import { defined } from "../base/omit-undefined.ts";
import type { RegisteredCli } from "../clis/cli-registry.ts";
import { staleOf, staleText } from "../evidence/recheck.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines } from "../script/output.ts";
import { openSession } from "./open.ts";
import { pausedBy } from "./person-words.ts";
import { type Place, placeIn } from "./place.ts";
import { type Session, sessionIds, standingOf } from "./session.ts";
import { type ListedSession, openSessions } from "./session-list.ts";
import { workspaceOf } from "./session-options.ts";
import { registrationsOnce, type SentMessage, sentMessages } from "./waiting/peer-status.ts";
import { folderAsked } from "./which-session.ts";
import { knownSessions, letAgentsUse } from "./workspace/sessions-elsewhere.ts";

/** A session as `status` looked at it. */
export interface FoundSession extends ListedSession {
  readonly place: Place;
  /** What nobody acted on yet, while the session is open. */
  readonly sent: readonly SentMessage[];
  /** Whether it was begun here, or is elsewhere and was joined from here. */
  readonly isOurs: boolean;
  readonly players: readonly RegisteredCli[];
  /** What people are told where somebody is silent that it waits for; nothing where it has other ways out. */
  readonly whenSilent: readonly string[];
  /** That it rests on lines that have changed since. */
  readonly stale?: string;
  /** Who has paused it, as its user is told. */
  readonly pausedBy?: string;
}

export interface FoundSessions {
  readonly found: FoundSession[];
  /** How many ended ones, and how many others, were not looked at. */
  readonly endedCount: number;
  readonly unseenCount: number;
}

/** The sessions that a command line asks for: the named one, else those of its workspace. */
export async function findSessions(args: Arguments): Promise<FoundSessions> {
  const registered = registrationsOnce();
  const place = folderAsked(args);
  if (place !== undefined) {
    const found = [await find(place, registered)];
    if (await letAgentsUse(place))
      printErrorLines(`agents of yours may use ${place.folder} from now on`);
    return alone(found);
  }
  const workspace = workspaceOf(args);
  const id = args.one("session");
  if (id !== undefined)
    return alone([await find(placeIn(workspace, parseSessionId(id)), registered)]);
  const worth = openSessions(workspace);
  const ids = args.has("all") ? sessionIds(workspace) : worth.ids;
  const found: FoundSession[] = [];
  for (const id of ids) found.push(await findOrTell(placeIn(workspace, id), registered));
  for (const place of knownSessions(workspace))
    found.push({ ...(await findOrTell(place, registered)), isOurs: true });
  worth.noteEnded?.(found);
  return args.has("all") ? alone(found) : { ...worth, found };
}

function alone(found: FoundSession[]): FoundSessions {
  return { found, endedCount: 0, unseenCount: 0 };
}

type Registered = ReturnType<typeof registrationsOnce>;

async function find(place: Place, registered: Registered): Promise<FoundSession> {
  const session = await openSession(place, { fetch: "try", changes: "preview" });
  const standing = standingOf(session);
  const players = standing.ended ? [] : registered(place);
  const sent = standing.ended ? [] : sentMessages(session, players, systemClock.now());
  const { whenSilent } = session.kind.traits;
  const stale = standing.ended ? staleNow(session) : undefined;
  return {
    ...defined({ stale, pausedBy: await pausedBy(session, "you") }),
    ...{ place, id: place.id, standing, sent, players },
    isOurs: isCreatedLocally(place.folder),
    whenSilent: whenSilent === undefined ? [] : [whenSilent],
  };
}

/** A session that cannot be read says why, and hides no other. */
async function findOrTell(place: Place, registered: Registered): Promise<FoundSession> {
  try {
    return await find(place, registered);
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    const isOurs = isCreatedLocally(place.folder);
    const { id } = place;
    return { place, id, fault: cause.message, sent: [], isOurs, players: [], whenSilent: [] };
  }
}

function staleNow({ kind, state, place }: Session): string | undefined {
  const records = kind.restsOn?.(state) ?? [];
  if (records.length === 0 || place.workspace === undefined) return undefined;
  return staleText(staleOf(records, place.workspace.project));
}
