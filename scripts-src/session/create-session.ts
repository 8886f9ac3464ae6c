import { join } from "node:path";
import { ConsultaError, refused } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { parseParticipant, parseSessionId, slugOf } from "../base/names.ts";
import { defined } from "../base/omit-undefined.ts";
import { isPlainLine } from "../base/quote-text.ts";
import { readOwnerWords } from "../clis/user-settings.ts";
import { existsSync } from "../files/disk.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import {
  type Config,
  defaultConfig,
  loosestAllowed,
  type Mode,
  modeWord,
  rulesOf,
} from "../protocol/config.ts";
import { pathFromHere } from "../script/command-line.ts";
import { logAt } from "../script/output.ts";
import { type Place, placeIn } from "./place.ts";
import { newSession, type Session, withEvent } from "./session.ts";
import { listOwnOpen, sessionsByAge, standingsOf } from "./session-list.ts";
import type { ChosenStore } from "./shared-stores.ts";
import { refresh } from "./submit.ts";
import { sweepEndedSessions, sweepTemporaries } from "./sweep.ts";
import { mayHaveOwn, ownLimits, type Workspace } from "./workspace/workspace.ts";

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
  /** Where it is kept for other machines as well. */
  readonly store?: ChosenStore | undefined;
}

/**
 * Opens a dialogue. Exactly one of several that open the same id at once succeeds.
 * @throws ConsultaError EXISTS when the id is taken, REFUSED for wrong input or too many sessions.
 */
export async function createSession(
  workspace: Workspace,
  opening: SessionOpening,
): Promise<Session> {
  const checked = { ...opening, ...requireOpening(workspace.config, opening) };
  sweepTemporaries(workspace);
  const oldest = await standingsOf(workspace, sessionsByAge(workspace, "oldest"));
  const swept = await sweepEndedSessions(workspace, oldest, opening.at);
  if (swept.length > 0)
    logAt(workspace, "info", `removed sessions that ended long ago: ${swept.join(", ")}`);
  await requirePlace(workspace);
  if (opening.id === undefined) {
    for (const id of namesLike(checked.topic)) {
      const session = isTaken(workspace, id) ? undefined : await begin(workspace, id, checked);
      if (session !== undefined) return session;
    }
    throw everyNameTaken(checked.topic);
  }
  const session = await begin(workspace, opening.id, checked);
  if (session !== undefined) return session;
  if (opening.store !== undefined && !existsSync(placeIn(workspace, opening.id).folder))
    throw opening.store.taken(opening.id);
  throw new ConsultaError(
    "EXISTS",
    `session ${opening.id} exists already; choose another --session, or join it with next-action --session ${opening.id}`,
  );
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
): Promise<Place> {
  if (id !== undefined) return placeIn(workspace, parseSessionId(id));
  await requirePlace(workspace);
  return freePlace(workspace, title);
}

/**
 * A place in the workspace that nobody has taken, named by a title's words.
 * @throws ConsultaError REFUSED when every such name is taken.
 */
export function freePlace(workspace: Workspace, title: string): Place {
  for (const id of namesLike(title)) {
    const place = placeIn(workspace, id);
    if (!existsSync(place.folder) && !isTaken(workspace, id)) return place;
  }
  throw everyNameTaken(title);
}

function namesLike(title: string): string[] {
  const wanted = slugOf(title);
  return Array.from({ length: limits.appendTries }, (_, at) =>
    at === 0 ? wanted : `${wanted}-${at + 1}`,
  );
}

function everyNameTaken(title: string): ConsultaError {
  const reason = `every name like ${slugOf(title)} is taken`;
  return refused(`${reason}; choose one with --session`);
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
    throw refused(
      `the topic has ${topic.length} characters, expected 1 to ${limits.topicCharacters}; ` +
        "put the details into the REQUEST message",
    );
  }
  if (!isPlainLine(topic)) {
    throw refused(
      "the topic has line breaks or control characters; give one line, and the rest in the REQUEST",
    );
  }
  const names = opening.participants.map(parseParticipant);
  if (names.length !== 2 || names[0] === names[1]) {
    throw refused(
      `a dialogue needs two different participants; got ${names.join(", ") || "none"}; ` +
        (names.length > 2
          ? "for three or more open a collaboration: --objective in place of --topic"
          : "give --participant twice, the initiator first"),
    );
  }
  const mode = opening.mode ?? config.default_mode;
  if (!config.modes_enabled.includes(mode)) {
    throw refused(
      `mode ${modeWord(mode)} is not enabled; config.json enables ${config.modes_enabled.map(modeWord).join(", ")}`,
    );
  }
  return { topic, mode };
}

/** The project's config says how many may be open, above the default only with leave of its user. */
async function requirePlace(workspace: Workspace): Promise<void> {
  const max = workspace.config.max_concurrent_sessions;
  const open = await listOwnOpen(workspace);
  if (open.length < max) return;
  throw refused(
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
  const own = mayHaveOwn("owner_words") ? await readOwnerWords(process.env) : [];
  return [...new Set([...config.owner_words, ...own])];
}

type Opening = SessionOpening & { readonly mode: Mode };

/** Undefined where somebody has opened a session of that name. */
async function begin(
  workspace: Workspace,
  id: string,
  opening: Opening,
): Promise<Session | undefined> {
  const { store } = opening;
  if (store === undefined) return open(workspace, id, opening);
  const place = placeIn(workspace, id);
  if (existsSync(join(place.folder, "events.jsonl"))) return undefined;
  const begun = await store.begin(place, id);
  if (begun === undefined) return undefined;
  try {
    return await open(workspace, id, opening);
  } finally {
    begun.orForget();
  }
}

async function open(
  workspace: Workspace,
  id: string,
  { topic, participants, mode, require, at, eventId }: Opening,
): Promise<Session | undefined> {
  const session = await newSession(placeIn(workspace, id), "dialogue");
  const ownerWords = await ownerWordsFor(workspace);
  const event: LogEvent = {
    seq: 1,
    from: participants[0] ?? "",
    event: "opened",
    at,
    summary: topic.slice(0, limits.summaryCharacters),
    id: eventId,
    session_id: id,
    topic,
    participants,
    mode,
    rules: rulesOf(workspace.config),
    ...defined({ require }),
    ...(ownerWords.length === 0 ? {} : { owner_words: ownerWords }),
  };
  // A colleague that works by hand finds the folders that it reads and writes.
  const inboxes = participants.map((name) => `inbox-${name}`);
  for (const name of [...inboxes, "archive"]) ensureFolder(workspace.root, name);
  ensureFolder(workspace.root, "sessions", id);
  const cursor = await session.log.append(session.log.start, event);
  if (cursor === undefined) return undefined;
  return refresh(withEvent(session, cursor, event), event, []);
}
