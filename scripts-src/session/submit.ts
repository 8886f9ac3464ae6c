import type { Clock } from "../base/clock.ts";
import { ConsultaError, unavailable } from "../base/errors.ts";
import { textsIn } from "../base/json.ts";
import { findSecret } from "../base/secrets.ts";
import { type ClaimEvidence, claimEvidence } from "../evidence/claim-evidence.ts";
import { absentCitations } from "../evidence/missing-citations.ts";
import type { LogEvent } from "../log/event.ts";
import type { EvidenceProcess } from "../protocol/evidence.ts";
import type { Addition, Delivery, Refusal, Submission } from "../protocol/protocol.ts";
import { appendDecided } from "./append.ts";
import { deliverMail, mailOf } from "./inbox/deliver.ts";
import { callPerson } from "./notify.ts";
import { documentsOf } from "./outgoing-documents.ts";
import { markOwnWord, wordIn } from "./person-words.ts";
import { hasStore, type Place, readersProject } from "./place.ts";
import { readFiles, syncFiles } from "./read-files.ts";
import { requireValid } from "./require-valid.ts";
import { readSession, type Session, saveCheckpoint, standingOf, withEvent } from "./session.ts";
import { finishStagedWrites, type StagedWrites, stageWrite } from "./staged-writes.ts";
import { UnansweredTries } from "./unanswered-tries.ts";
import { markSeen } from "./waiting/presence.ts";
import { repairViews, writeNewestViews } from "./write-views.ts";

/** What became of a submission: `seq` is its event's place; `repeated` when it stood there before. */
export interface Submitted {
  readonly session: Session;
  /** The session that it was decided on. */
  readonly before: Session;
  readonly seq: number;
  /** What was appended; undefined for what stood there before. */
  readonly event: LogEvent | undefined;
  readonly repeated: boolean;
  /** What the sender should know about what it sent. */
  readonly remarks: readonly string[];
  /** What the script saw for the claims of the event, in their order. */
  readonly evidence: readonly ClaimEvidence[];
}

/** A submission before anybody looked at anything for it. */
type Draft = Omit<Submission, "files" | "evidence"> & {
  /** The AI CLI that it is made for, where that does not run this script. */
  readonly cli?: EvidenceProcess | undefined;
  /** The person does it themselves: nobody has to tell them. */
  readonly byPerson?: true;
};

/**
 * Decides on what is submitted now, appends its event and refreshes what follows from it. When another
 * writer is faster it decides again on the new state. Who submits many refreshes `later`, once.
 * @throws ConsultaError REFUSED with the protocol's reason; NOT_YET for a foreign colleague's message
 * that came too early; UNAVAILABLE when the event may or may not be stored: the same submission
 * again is safe.
 */
export async function submit(
  session: Session,
  given: Omit<Draft, "at" | "id">,
  clock: Clock,
  follows: "now" | "later" = "now",
): Promise<Submitted> {
  const draft = { ...given, at: clock.now(), id: clock.newId() };
  const submitted = await appendDecided(
    session,
    (current) => tryToSubmit(current, draft, follows),
    async (overtaken) => finishOthers(await readSession(overtaken)),
  );
  if (!submitted.repeated) return submitted;
  // Who sent it first may have died before what follows from it was written.
  await deliverMail(submitted.session, mailOf(submitted.session));
  return { ...submitted, session: await repairViews(submitted.session) };
}

/** Undefined when another writer is faster. */
async function tryToSubmit(
  current: Session,
  draft: Draft,
  follows: "now" | "later",
): Promise<Submitted | undefined> {
  const tries = hasStore(current.place.folder)
    ? new UnansweredTries(current.place, draft)
    : undefined;
  const known = await tries?.seqIn(current);
  if (known !== undefined) return repetition(current, known);
  const { decision, wanted, evidence } = await decideOn(current, draft);
  if ("already" in decision) return { ...repetition(current, decision.already), evidence };
  const { event, additions = [], remarks = [] } = decision;
  const staged = await prepare(current, draft, event, { wanted, additions });
  const carried = { event, participant: draft.participant, wanted, additions };
  const cursor = await (tries === undefined
    ? current.log.append(current.cursor, event)
    : tries.append(current, event, async (shared) => documentsOf(current, carried, shared)));
  if (cursor === undefined) {
    for (const it of staged) it.discard();
    return undefined;
  }
  const stored = withEvent(current, cursor, event);
  const isLater = follows === "later" && staged.length === 0;
  const session = isLater ? stored : await refresh(stored, event, mailOf(current), staged);
  if (draft.byPerson !== true) callPerson(stored.place, standingOf(stored), standingOf(current));
  return {
    ...{ session, before: current, seq: event.seq, event, repeated: false, evidence },
    remarks: [...remarks, ...secretRemarks(draft), ...absentRemarks(current.place, additions)],
  };
}

function repetition(session: Session, seq: number): Submitted {
  const nothing = { event: undefined, remarks: [], evidence: [] };
  return { session, before: session, seq, repeated: true, ...nothing };
}

/**
 * What the protocol makes of a submission, with the files and the evidence that it looked at.
 * @throws ConsultaError as `submit` where it is turned away.
 */
async function decideOn({ kind, state, place }: Session, draft: Draft) {
  const wanted = kind.filesWanted(state, { for: "decision", ...draft });
  const submission = { ...draft, files: await readFiles(place.folder, wanted) };
  const needed = kind.evidenceNeeded?.(state, submission) ?? [];
  const evidence =
    needed.length === 0 ? [] : await claimEvidence(readersProject(place), needed, draft.cli);
  const seen = needed.length === 0 ? {} : { evidence: evidence.map(({ record }) => record) };
  const decision = kind.decide(state, { ...submission, ...seen });
  if (decision.ok) return { decision, wanted, evidence };
  // A foreign colleague cannot send again: what came too early waits in the inbox.
  const waits = decision.later && draft.origin === "inbox";
  const code = waits ? "NOT_YET" : (decision.code ?? "REFUSED");
  throw new ConsultaError(code, decision.reason, { lines: reasonLines(decision) });
}

/** Several reasons are easier to meet one by one. */
function reasonLines({ reasons = [] }: Refusal): string[] {
  if (reasons.length < 2) return [];
  return [`rejected for ${reasons.length} reasons:`, ...reasons.map((reason) => `- ${reason}`)];
}

/** Writes what has to be there before an event can be read. */
async function prepare(
  current: Session,
  { participant, at, byPerson }: Draft,
  event: LogEvent,
  { wanted, additions }: Pick<Parameters<typeof documentsOf>[1], "wanted" | "additions">,
): Promise<StagedWrites[]> {
  const { kind, state, place } = current;
  if (kind.onlyWhenValid?.(event.event)) await requireValid(current, event);
  const staged = additions.map((addition) => stageWrite(place, event, addition));
  // What the decision rests on outlives a power cut as its event does.
  const guiding = kind.filesWanted(state, { for: "guidance", participant });
  syncFiles(place.folder, [...wanted, ...guiding], kind.standing(state).lastAt);
  // The mark shows that a script of ours wrote it.
  if (kind.sharedLog) markSeen(place, participant, at);
  // What others may write as well is shown to be the person's own.
  if (byPerson === true) await markOwnWord(place.folder, wordIn(event));
  return staged;
}

/** The writer of a credential into a log is told: it stays there, and its peers read it. */
function secretRemarks({ origin, fields }: Draft): string[] {
  if (origin !== "script") return [];
  const secret = findSecret(textsIn(fields).join("\n"));
  if (secret === undefined) return [];
  return [
    `it looks as if it holds ${secret}, and it is stored where your peers read it: if it is a real one, ` +
      "replace the credential; say where one is kept instead of what it is",
  ];
}

/** The writer of a review is told what is not there of what it cites. */
function absentRemarks(place: Place, additions: readonly Addition[]): string[] {
  const lines = additions
    .filter(({ as }) => as === "section")
    .flatMap(({ text }) => text.split("\n").slice(1));
  if (lines.length === 0) return [];
  const absent = absentCitations(readersProject(place), place.folder, lines);
  if (absent.length === 0) return [];
  const text = `it cites ${absent.join(", ")}, which is not there`;
  return [`${text}; next time give paths from the project's root and lines that exist`];
}

/** What a faster writer may not have lived to write; its event is in the log. */
async function finishOthers(session: Session): Promise<Session> {
  // Messages are delivered by the next script that looks for them.
  if (session.kind.mail !== undefined) return session;
  await finishStagedWrites(session);
  return session.kind.sharedLog ? writeNewestViews(session, undefined) : session;
}

/**
 * Writes what follows from the newest event: its text in a document, deliveries beside the known ones, views, checkpoint.
 * Returns the session as it then stands.
 * @throws ConsultaError UNAVAILABLE when the disk refuses; the event itself is stored.
 */
export async function refresh(
  session: Session,
  event: LogEvent,
  known: readonly Delivery[],
  staged: readonly StagedWrites[] = [],
): Promise<Session> {
  try {
    for (const it of staged) it.add();
    const before = new Set(known.map(({ to, file }) => `${to}/${file}`));
    const fresh = mailOf(session).filter(({ to, file }) => !before.has(`${to}/${file}`));
    await deliverMail(session, fresh, event);
    const newest = await writeNewestViews(session, event);
    await saveCheckpoint(newest);
    return newest;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    const stored = `seq ${event.seq} is stored, but what follows from it is not written`;
    // A message is known again; an event of the same words would be another one, or refused.
    const way = session.kind.mail === undefined ? "next-action, not this" : "the same command";
    throw unavailable(`${stored}: ${cause.message}; then run ${way} again`, {
      cause,
    });
  }
}
