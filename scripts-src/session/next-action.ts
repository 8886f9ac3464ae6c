import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { isJsonObject, isRecord, type JsonValue, parseStrictJson } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import { notBefore } from "../base/time.ts";
import { allowedChecks, isAllowed } from "../evidence/consent.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import { wordsFor } from "../protocol/person-step.ts";
import type { Delivery, Guidance, Move, SessionStatus } from "../protocol/protocol.ts";
import { keepCopy, letterText } from "./inbox/deliver.ts";
import type { WaitingMail } from "./inbox/import-inbox.ts";
import { claimMessages, type RejectedMail, refusedSince } from "./inbox/mailbox.ts";
import { openSession } from "./open.ts";
import { type EarlierDecision, earlierDecisions } from "./past/earlier-decisions.ts";
import { ownWordsOf, pausedBy, type UserWord } from "./person-words.ts";
import type { Place } from "./place.ts";
import { readFiles } from "./read-files.ts";
import { invalidityAhead } from "./require-valid.ts";
import { type NamedStatus, type Session, standingOf } from "./session.ts";
import { type PeerStatus, peersOf, type SentMessage } from "./waiting/peer-status.ts";
import { markSeen } from "./waiting/presence.ts";
import { repairViews } from "./write-views.ts";

/** A received message with its text and the path where it is. */
export interface DeliveredMessage {
  readonly delivery: Delivery;
  readonly path: string;
  readonly message: JsonValue;
}

/** What the log has of the person for a participant. */
export interface HeardWord extends UserWord {
  /** It is this user's own; else a clone, or another machine, may have brought it. */
  readonly isOwn: boolean;
}

/** Everything that `next-action` tells one participant about one session. */
export interface NextAction {
  readonly place: Place;
  /** As it was read; a note of what was shown goes after it. */
  readonly session: Session;
  readonly participant: string;
  readonly standing: NamedStatus;
  readonly guidance: Guidance;
  readonly letters: DeliveredMessage[];
  readonly rejected: RejectedMail[];
  /** Foreign mail that could not be entered yet; undefined when none waits. */
  readonly waiting: WaitingMail | undefined;
  /** Other sessions, which a letter of this inbox has opened. */
  readonly opened: readonly string[];
  readonly colleagues: PeerStatus[];
  /** How sessions on the same topic ended, for a participant that has said nothing yet; the newest first. */
  readonly earlier: EarlierDecision[];
  /** What the person said to this participant, until it has acted on it. */
  readonly words: readonly HeardWord[];
  /** What this participant sent and nobody acted on yet. */
  readonly sent: SentMessage[];
  /** The folder of the session's documents; undefined where messages say everything. */
  readonly documentsIn: string | undefined;
  /** No script of this user began the session: it may have come with the project. */
  readonly isStray: boolean;
  /** What the session's `protocol.json` says that cannot be; the rest follows from the log. */
  readonly fault: string | undefined;
}

/**
 * Tells a participant where it stands and hands it its unanswered messages. Taking is one rename
 * from inbox to archive; a message is shown again until it is answered. A session that is `known` is
 * not loaded again.
 */
export async function nextAction(
  place: Place,
  participant: string,
  clock: Clock,
  known?: Session,
): Promise<NextAction> {
  const attended = await openSession(known ?? place, {
    ...(known === undefined ? { fetch: "unless-offline" } : {}),
    changes: "enter",
    participant,
    clock,
  });
  const { rejected: fresh, waiting, opened } = attended.entered;
  const fault = statedFault(attended);
  const session = fault === undefined ? await repairViews(attended) : attended;
  const { kind, state } = session;
  const guidance = await guidanceFor(session, participant);
  const standing = standingOf(session);
  const now = clock.now();
  if (kind.mail === undefined) markSeen(place, participant, now);
  const rejected = [...fresh, ...refusedEarlier(session, participant, fresh)];
  const documentsIn = kind.mail === undefined ? place.folder : undefined;
  const letters = await takeLetters(session, participant, guidance.received);
  const isNew = !standing.ended && kind.isNewTo(state, participant);
  const earlier = isNew ? await earlierTo(place, standing, clock) : [];
  return {
    place,
    session,
    participant,
    standing,
    guidance,
    letters,
    rejected,
    waiting,
    opened,
    ...peersOf(session, participant, now),
    earlier,
    words: await wordsIn(session, participant, guidance),
    documentsIn,
    isStray: place.workspace !== undefined && !isCreatedLocally(place.folder),
    fault,
  };
}

async function guidanceFor(session: Session, participant: string): Promise<Guidance> {
  const { kind, state, place } = session;
  const wanted = kind.filesWanted(state, { for: "guidance", participant });
  const files = await readFiles(place.folder, wanted);
  const isPaused = state.user.pause !== undefined;
  const by = isPaused ? await pausedBy(session, "the user") : undefined;
  const said = await withCommands(kind.nextAction(state, participant, files, by));
  // Only who is to append such an event pays for it.
  if (!kind.onlyWhenValid?.(said.moves[0]?.options["event"] ?? "")) return said;
  const fault = await invalidityAhead(session);
  return fault === undefined ? said : { ...said, obligations: [...said.obligations, fault] };
}

/** A command that the user allows is a look like any other; of all others the forms ask why not. */
async function withCommands({ toRun = [], ...guidance }: Guidance): Promise<Guidance> {
  const { toCheck = [], moves } = guidance;
  if (toRun.length === 0) return guidance;
  const allowed = await allowedChecks(process.env).catch((cause: unknown) => {
    if (cause instanceof ConsultaError) return [];
    throw cause;
  });
  const runs = toRun.filter(({ argv }) => isAllowed(argv, allowed)).map(({ claim }) => claim);
  if (runs.length === 0) return guidance;
  const looked = moves.map((move) => ({
    ...move,
    ...defined({ input: withoutChecks(move, runs) }),
  }));
  return { ...guidance, toCheck: [...new Set([...toCheck, ...runs])], moves: looked };
}

function withoutChecks({ input }: Move, claims: readonly string[]): Move["input"] {
  if (typeof input === "string" || !Array.isArray(input?.["checks"])) return input;
  const { checks, ...rest } = input;
  const left = checks.filter(
    (it) => !isJsonObject(it) || !claims.some((claim) => it["claim"] === claim),
  );
  return left.length === 0 ? rest : { ...rest, checks: left };
}

async function wordsIn(
  session: Session,
  participant: string,
  { decided }: Guidance,
): Promise<HeardWord[]> {
  const words: UserWord[] = [...wordsFor(session.state.user, participant)];
  if (decided !== undefined) words.push({ ...decided, event: "decided" });
  if (words.length === 0) return [];
  const isOwn = await ownWordsOf(session);
  return words.map((word) => ({ ...word, isOwn: isOwn(word) }));
}

/** Letters to this participant that others of our scripts refused since it last sent something. */
function refusedEarlier(
  { place, kind, state }: Session,
  participant: string,
  fresh: readonly RejectedMail[],
): RejectedMail[] {
  if (place.workspace === undefined || kind.mail === undefined) return [];
  const { startedAt, spoke = {} } = kind.standing(state);
  const since = notBefore(startedAt, spoke[participant] ?? "");
  const known = new Set(fresh.map(({ file }) => file));
  const letters = refusedSince(place.workspace, since, `inbox-${participant}`);
  return letters.filter(({ file }) => !known.has(file));
}

async function earlierTo(
  { workspace, folder }: Place,
  { topic }: SessionStatus,
  clock: Clock,
): Promise<EarlierDecision[]> {
  if (workspace === undefined || !workspace.config.brain || topic === "") return [];
  return earlierDecisions(workspace, { folder, topic }, clock);
}

function statedFault({ kind, settings }: Session): string | undefined {
  return settings.text === undefined ? undefined : kind.settings?.stated?.(settings.text);
}

/** Each message as the log has it: a copy says what the last writer to the disk put there. */
async function takeLetters(
  session: Session,
  participant: string,
  received: readonly Delivery[],
): Promise<DeliveredMessage[]> {
  const { workspace } = session.place;
  if (workspace === undefined || received.length === 0) return [];
  const files = received.map(({ file }) => file);
  claimMessages(workspace, participant, files);
  const letters: DeliveredMessage[] = [];
  for (const delivery of received) {
    const text = await letterText(session, delivery);
    const path = keepCopy(workspace, delivery, text);
    const message = parseStrictJson(text, path);
    letters.push({ delivery, path, message: isRecord(message) ? message : {} });
  }
  return letters;
}
