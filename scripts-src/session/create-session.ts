import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isPlainLine } from "../base/escape-untrusted-text.ts";
import { limits } from "../base/limits.ts";
import { parseParticipant, parseSessionId, slugOf } from "../base/names.ts";
import { defined } from "../base/omit-undefined.ts";
import { readOwnerWords } from "../clis/user-settings.ts";
import { existsSync } from "../files/disk.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { readOwnFile } from "../files/private-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import { type Config, defaultConfig, type Mode, modeWord, rulesOf } from "../protocol/config.ts";
import { loosestAllowed } from "../protocol/config-limits.ts";
import type { ChosenStore } from "../remote/choose-store.ts";
import { pathFromHere } from "../script/command-line.ts";
import { beginOnStore, notBegun, takenThere } from "./begin-on-store.ts";
import { type Place, placeIn } from "./place.ts";
import { type NamedStatus, newSession, type Session, withEvent } from "./session.ts";
import {
  isOurs,
  type ListedSession,
  listOpen,
  listOwnOpen,
  listSessions,
  oldestSessions,
} from "./session-list.ts";
import { refresh } from "./submit.ts";
import { sweepEndedSessions, sweepTemporaries } from "./sweep.ts";
import { ownLimits } from "./workspace/user-limits.ts";
import type { Workspace } from "./workspace/workspace.ts";

export interface SessionOpening {
  readonly topic: string;
  /** The initiator first. */
  readonly participants: string[];
  readonly mode?: Mode | undefined;
  /** Consensus needs every claim seen by both sides. */
  readonly require?: "seen" | undefined;
  /** Without one, the topic's words name the session, with a number where the name is taken. */
  readonly id?: string | undefined;
  readonly at: string;
  readonly eventId: string;
  /** Told which sessions were removed because they ended long ago. */
  readonly onSwept?: (ids: string[]) => void;
  /** Told which open sessions of the initiator are about the very same topic. */
  readonly onSameTopic?: (ids: string[]) => void;
  readonly onFull?: OnFull | undefined;
  /** Where it is kept for other machines as well. */
  readonly store?: ChosenStore | undefined;
}

/** Told which sessions are open, before another one is rejected: one of them has to end first. */
export type OnFull = (open: readonly NamedStatus[]) => void;

/**
 * Opens a dialogue. Exactly one of several that open the same id at once succeeds.
 * @throws ConsultaError EXISTS when the id is taken, REFUSED for wrong input or too many sessions.
 */
export async function createSession(
  workspace: Workspace,
  opening: SessionOpening,
): Promise<Session> {
  const { topic, mode } = requireOpening(workspace.config, opening);
  sweepTemporaries(workspace);
  const listed = await listOpen(workspace);
  const alike = opening.id === undefined ? openAbout(listed, topic, opening.participants) : [];
  const same = alike.filter((id) => isOurs(workspace, id));
  if (same.length > 0) opening.onSameTopic?.(same);
  const oldest = await listSessions(workspace, oldestSessions(workspace));
  const swept = await sweepEndedSessions(workspace, oldest, opening.at);
  if (swept.length > 0) opening.onSwept?.(swept);
  await requirePlace(workspace, opening.onFull);
  const wanted = parseSessionId(opening.id ?? slugOf(topic));
  for (let number = 1; number <= limits.appendTries; number += 1) {
    const id = number === 1 ? wanted : `${wanted}-${number}`;
    if (opening.id === undefined && isTaken(workspace, id)) continue;
    const session = await tryToOpen(workspace, id, { ...opening, topic, mode });
    if (session !== undefined) return session;
    if (opening.id === undefined) continue;
    if (opening.store !== undefined && !existsSync(placeIn(workspace, id).folder))
      throw takenThere(opening.store, id);
    throw new ConsultaError(
      "EXISTS",
      `session ${id} exists already; choose another --session, or join it with next-action --session ${id}`,
    );
  }
  throw everyNameTaken(wanted);
}

function openAbout(
  listed: readonly ListedSession[],
  topic: string,
  participants: string[],
): string[] {
  return listed.flatMap((it) => {
    if (!("standing" in it) || it.standing.ended) return [];
    const isSame = it.standing.topic === topic;
    const isOurs = participants.every((name) => it.standing.participants.includes(name));
    return isSame && isOurs ? [it.id] : [];
  });
}

/**
 * A free place in the workspace for a session that keeps its documents beside its log. The given
 * name is taken as it is.
 * @throws ConsultaError REFUSED when too many sessions are open.
 */
export async function placeForNew(
  workspace: Workspace,
  id: string | undefined,
  title: string,
  onFull?: OnFull,
): Promise<Place> {
  if (id !== undefined) return placeIn(workspace, parseSessionId(id));
  await requirePlace(workspace, onFull);
  return freePlace(workspace, title);
}

/**
 * A place in the workspace that nobody has taken, named by a title's words.
 * @throws ConsultaError REFUSED when every such name is taken.
 */
export function freePlace(workspace: Workspace, title: string): Place {
  const wanted = slugOf(title);
  for (let number = 1; number <= limits.appendTries; number += 1) {
    const place = placeIn(workspace, number === 1 ? wanted : `${wanted}-${number}`);
    if (!existsSync(place.folder) && !isTaken(workspace, place.id)) return place;
  }
  throw everyNameTaken(wanted);
}

function everyNameTaken(wanted: string): ConsultaError {
  return new ConsultaError(
    "REFUSED",
    `every name like ${wanted} is taken; choose one with --session`,
  );
}

/** A name that an older session's report or archive still uses is taken as well. */
function isTaken({ root, config }: Workspace, id: string): boolean {
  return (
    existsSync(join(root, "sessions", `${id}.json`)) ||
    existsSync(join(root, config.artifacts_dir, id))
  );
}

/**
 * Looks at what can be wrong with an opening before anything is written.
 * @throws ConsultaError REFUSED with what was given and what was expected.
 */
export function requireOpening(
  config: Config,
  opening: Pick<SessionOpening, "topic" | "participants" | "mode" | "id">,
) {
  if (opening.id !== undefined) parseSessionId(opening.id);
  const topic = opening.topic.trim();
  if (topic === "" || topic.length > limits.topicCharacters) {
    throw new ConsultaError(
      "REFUSED",
      `the topic has ${topic.length} characters, expected 1 to ${limits.topicCharacters}; ` +
        "put the details into the REQUEST message",
    );
  }
  if (!isPlainLine(topic)) {
    throw new ConsultaError(
      "REFUSED",
      "the topic has line breaks or control characters; give one line, and the rest in the REQUEST",
    );
  }
  const names = opening.participants.map(parseParticipant);
  if (names.length !== 2 || names[0] === names[1]) {
    throw new ConsultaError(
      "REFUSED",
      `a dialogue needs two different participants; got ${names.join(", ") || "none"}; ` +
        (names.length > 2
          ? "for three or more open a collaboration: --objective in place of --topic"
          : "give --participant twice, the initiator first"),
    );
  }
  const mode = opening.mode ?? config.default_mode;
  if (!config.modes_enabled.includes(mode)) {
    throw new ConsultaError(
      "REFUSED",
      `mode ${modeWord(mode)} is not enabled; config.json enables ${config.modes_enabled.map(modeWord).join(", ")}`,
    );
  }
  return { topic, mode };
}

async function requirePlace(workspace: Workspace, onFull?: OnFull): Promise<void> {
  const max = workspace.config.max_concurrent_sessions;
  const open = await listOwnOpen(workspace);
  if (open.length < max) return;
  onFull?.(open);
  throw new ConsultaError(
    "REFUSED",
    `${open.length} sessions are open (max_concurrent_sessions is ${max}): ${open.map(({ id }) => id).join(", ")}; ` +
      `go on in one, end one (close --session ${open[0]?.id} --reason "why"), or allow more: ${wayToMore(workspace)}`,
  );
}

/** The project's config says how many; above the default it may only what its user allows. */
function wayToMore({ root, config }: Workspace): string {
  const more = config.max_concurrent_sessions + 1;
  const way = `set max_concurrent_sessions to ${more} in ${pathFromHere(join(root, "config.json"))}`;
  const isAllowed = loosestAllowed(defaultConfig, ownLimits()).max_concurrent_sessions >= more;
  return isAllowed
    ? way
    : `${way}, and write "limits: {max_concurrent_sessions: ${more}}" into ~/.consulta/config.yaml`;
}

/** The project's words and the user's own; both only make more questions the user's. */
async function ownerWordsFor({ config }: Workspace): Promise<string[]> {
  const home = homeOrNone();
  const text = home && readOwnFile(join(home, ".consulta", "config.yaml"), limits.messageBytes);
  if (text?.includes("owner_words") !== true) return [...config.owner_words];
  // Most users have none, and pay for no YAML.
  return [...new Set([...config.owner_words, ...(await readOwnerWords(process.env))])];
}

/** Undefined where somebody has opened a session of that name. */
async function tryToOpen(
  workspace: Workspace,
  id: string,
  opening: SessionOpening & { mode: Mode },
): Promise<Session | undefined> {
  const { store } = opening;
  if (store === undefined) return open(workspace, id, opening);
  const place = placeIn(workspace, id);
  if (existsSync(join(place.folder, "events.jsonl"))) return undefined;
  if (!(await beginOnStore(store, place, id))) return undefined;
  try {
    return await open(workspace, id, opening);
  } finally {
    notBegun(place);
  }
}

async function open(
  workspace: Workspace,
  id: string,
  opening: SessionOpening & { mode: Mode },
): Promise<Session | undefined> {
  const session = await newSession(placeIn(workspace, id), "dialogue");
  const ownerWords = await ownerWordsFor(workspace);
  const event: LogEvent = {
    seq: 1,
    from: opening.participants[0] ?? "",
    event: "opened",
    at: opening.at,
    summary: opening.topic.slice(0, limits.summaryCharacters),
    id: opening.eventId,
    session_id: id,
    topic: opening.topic,
    participants: opening.participants,
    mode: opening.mode,
    rules: rulesOf(workspace.config),
    ...defined({ require: opening.require }),
    ...(ownerWords.length === 0 ? {} : { owner_words: ownerWords }),
  };
  // A colleague that works by hand finds the folders that it reads and writes.
  const inboxes = opening.participants.map((name) => `inbox-${name}`);
  for (const name of [...inboxes, "archive"]) ensureFolder(workspace.root, name);
  ensureFolder(workspace.root, "sessions", id);
  const cursor = await session.log.append(session.log.start, event);
  if (cursor === undefined) return undefined;
  return refresh(withEvent(session, cursor, event), event, []);
}
