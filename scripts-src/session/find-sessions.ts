import { ConsultaError } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import { defined } from "../base/omit-undefined.ts";
import type { RegisteredCli } from "../clis/cli-registry.ts";
import { staleOf, staleText } from "../evidence/recheck.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines } from "../script/output.ts";
import { type SentMessage, sentMessages } from "./inbox/sent-messages.ts";
import { openSession } from "./open.ts";
import { pausedBy } from "./person-words.ts";
import { type Place, placeIn } from "./place.ts";
import { type Session, sessionIds, standingOf } from "./session.ts";
import { type ListedSession, openSessions } from "./session-list.ts";
import { workspaceOf } from "./session-options.ts";
import { registrationsOnce } from "./waiting/peer-status.ts";
import { folderAsked } from "./which-session.ts";
import { knownSessions, letAgentsUse } from "./workspace/sessions-elsewhere.ts";

/** A session as `status` looked at it. */
export interface FoundSession {
  readonly place: Place;
  readonly listed: ListedSession;
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
  /** Ended sessions that were not looked at, and others. */
  readonly ended: number;
  readonly unseen: number;
}

/** The sessions that a command line asks for: the named one, else those of its workspace. */
export async function findSessions(args: Arguments): Promise<FoundSessions> {
  const place = folderAsked(args);
  if (place !== undefined) {
    const found = await find(place, registrationsOnce());
    if (await letAgentsUse(place))
      printErrorLines(`agents of yours may use ${place.folder} from now on`);
    return alone(found);
  }
  const workspace = workspaceOf(args);
  const id = args.one("session");
  if (id !== undefined)
    return alone(await find(placeIn(workspace, parseSessionId(id)), registrationsOnce()));
  const worth = openSessions(workspace);
  const ids = args.has("all") ? sessionIds(workspace) : worth.ids;
  const found: FoundSession[] = [];
  const registered = registrationsOnce();
  for (const id of ids) found.push(await findOrTell(placeIn(workspace, id), registered));
  for (const place of knownSessions(workspace))
    found.push({ ...(await findOrTell(place, registered)), isOurs: true });
  for (const { listed } of found)
    if ("standing" in listed) worth.noteEnded(listed.id, listed.standing);
  worth.keep();
  return args.has("all") ? { found, ended: 0, unseen: 0 } : { ...worth, found };
}

type Registered = ReturnType<typeof registrationsOnce>;

function alone(found: FoundSession): FoundSessions {
  return { found: [found], ended: 0, unseen: 0 };
}

async function find(place: Place, registered: Registered): Promise<FoundSession> {
  const session = await openSession(place, { fetch: "try", changes: "preview" });
  const standing = standingOf(session);
  const players = standing.ended ? [] : await registered(place);
  const sent = standing.ended ? [] : sentMessages(session, players, systemClock.now());
  const isOurs = isCreatedLocally(place.folder);
  const { whenSilent } = session.kind.traits;
  const stale = standing.ended ? await staleNow(session) : undefined;
  return {
    ...defined({ stale, pausedBy: await pausedBy(session, "you") }),
    ...{ place, listed: { id: place.id, standing }, sent, isOurs, players },
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
    const listed = { id: place.id, fault: cause.message };
    return { place, listed, sent: [], isOurs, players: [], whenSilent: [] };
  }
}

async function staleNow({ kind, state, place }: Session): Promise<string | undefined> {
  const records = kind.restsOn?.(state) ?? [];
  if (records.length === 0 || place.workspace === undefined) return undefined;
  return staleText(staleOf(records, place.workspace.project));
}
