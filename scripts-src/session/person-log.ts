import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { refused } from "../base/errors.ts";
import { existsSync, orNothing } from "../files/disk.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { ensureUserKey } from "../files/user-key.ts";
import { firstLine, isCreatedLocally } from "../log/created-locally.ts";
import type { LogEvent } from "../log/event.ts";
import { personName, wordsFor } from "../protocol/person-step.ts";
import type { SessionState, Submission } from "../protocol/protocol.ts";
import { heardEvent, stateAfterPerson } from "../protocol/with-person.ts";
import { appendDecided, appendNote } from "./append.ts";
import { markOwnWord, wordIn } from "./person-words.ts";
import {
  personLogFolder,
  personLogName,
  personLogOf,
  type Session,
  tellPersonLogWatchers,
} from "./session.ts";
import { UnansweredTries } from "./unanswered-tries.ts";
import { writeSessionFile } from "./write-views.ts";

/**
 * The person's own log: beside the log of a session that others read as well, who would stumble on
 * events that are not theirs. Where machines share the session they share this log in the same way.
 */

/** The event to append, the seq under which it stands already, or nothing to append. */
type Deciding = (at: SessionState) => LogEvent | number | undefined;

export interface AppendedAside {
  readonly session: Session;
  readonly seq: number;
  readonly repeated: boolean;
}

/**
 * Appends a step of the person to their own log, which it begins where there is none. When another writer is
 * faster it decides again.
 * @throws ConsultaError REFUSED with the session's reason, and where nothing would show that the log is this user's.
 */
export async function appendAside(
  known: Session,
  given: Omit<Submission, "files" | "at" | "id">,
  clock: Clock,
): Promise<AppendedAside> {
  const submission = { ...given, at: clock.now(), id: clock.newId() };
  const sent = new UnansweredTries({ folder: personLogFolder(known.place) }, submission);
  const seq = known.aside === undefined ? undefined : await sent.seqIn(known.aside);
  if (seq !== undefined) return { session: known, seq, repeated: true };
  return append(known, (at) => decideAside(at, submission), sent);
}

async function append(
  known: Session,
  decide: Deciding,
  sent?: UnansweredTries,
): Promise<AppendedAside> {
  const { place } = known;
  requireOwn(known);
  ensureFolder(place.folder, personLogName);
  return appendDecided(known, async (current) => {
    const decision = decide(current);
    if (typeof decision !== "object")
      return { session: current, seq: decision ?? 0, repeated: true };
    const log = current.aside?.log ?? (await personLogOf(place));
    if (decision.from === personName) await markOwnWord(place.folder, wordIn(decision));
    const after = current.aside?.cursor ?? log.start;
    const cursor = await (sent === undefined
      ? log.append(after, decision)
      : sent.append({ log, cursor: after }, decision, async () => []));
    if (cursor === undefined) return undefined;
    const { state } = stateAfterPerson(current, decision);
    const session = { ...current, state, aside: { log, cursor } };
    tellPersonLogWatchers(place, decision.seq);
    writeSessionFile(session);
    return { session, seq: decision.seq, repeated: false };
  });
}

/** What the session makes of a step of the person: its event, or the seq under which it stands already. */
function decideAside(
  { kind, state }: SessionState,
  submission: Omit<Submission, "files">,
): LogEvent | number {
  const decision = kind.decide(state, { ...submission, files: new Map() });
  if (!decision.ok) throw refused(decision.reason);
  return "already" in decision ? decision.already : decision.event;
}

/** Words that may have come with a clone are nobody's, and none of ours go among them. */
function requireOwn({ place, aside }: Session): void {
  if (aside !== undefined) return;
  const folder = personLogFolder(place);
  // Without a line it holds nobody's words: another process of this user may be about to write the first.
  const hasLine =
    existsSync(join(folder, "events.jsonl")) && orNothing(() => firstLine(folder)) !== "";
  if (hasLine && !isCreatedLocally(folder))
    throw refused(
      `${folder} was not begun here by you: it may have come with the project; remove it, then run this again`,
    );
  if (ensureUserKey()) return;
  const reason = "~/.consulta/user.key cannot be made, or others may read it";
  throw refused(`${reason}: nothing would show that the words are yours`);
}

/**
 * Enters that what the person said to a participant, and that they have paused, is before it; returns the
 * session with that. Appends nothing where there is nothing to enter.
 * @throws ConsultaError UNAVAILABLE when the log cannot be written; it is shown again then.
 */
export async function recordHeard(
  known: Session,
  participant: string,
  by: string,
  clock: Clock,
): Promise<Session> {
  const person = known.state.user;
  const words = wordsFor(person, participant).map(({ seq }) => seq);
  const messages = person.pause === undefined ? words : [...words, person.pause.seq];
  const note = { participant, messages, by, at: clock.now(), id: clock.newId() };
  if (heardEvent(known, note) === undefined) return known;
  if (!known.kind.takesPersonSteps) {
    return (await append(known, (at) => heardEvent(at, note))).session;
  }
  return appendNote(known, async (at) => heardEvent(at, note));
}
