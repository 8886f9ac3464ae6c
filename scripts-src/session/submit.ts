import { ConsultaError } from "../base/errors.ts";
import type { JsonValue } from "../base/json.ts";
import { findSecret } from "../base/secrets.ts";
import { type ClaimEvidence, claimEvidence } from "../evidence/claim-evidence.ts";
import { absentCitations } from "../evidence/missing-citations.ts";
import type { LogEvent } from "../log/event.ts";
import type { EvidenceProcess } from "../protocol/evidence.ts";
import type { Addition, Delivery, Refusal, Submission } from "../protocol/protocol.ts";
import { appendDecided } from "./append-with-retry.ts";
import { deliverMail, mailOf } from "./inbox/deliver.ts";
import { isNewsForPerson } from "./news-for-person.ts";
import { documentsOf } from "./outgoing-documents.ts";
import { markOwnWord, wordIn } from "./person-words.ts";
import { type Place, readersProject } from "./place.ts";
import { readFiles, syncFiles } from "./read-files.ts";
import { repairViews } from "./repair-views.ts";
import { requireValid } from "./require-valid.ts";
import { readSession, type Session, saveCheckpoint, standingOf, withEvent } from "./session.ts";
import { callPerson } from "./spawn-notify.ts";
import { finishStagedWrites, type StagedWrites, stageWrite } from "./staged-writes.ts";
import { appendNoted, unconfirmedAppendsOf } from "./unconfirmed-append.ts";
import { markSeen } from "./waiting/presence.ts";
import { writeNewestViews } from "./write-views.ts";

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

/**
 * Decides on a submission, appends its event and refreshes what follows from it. When another
 * writer is faster it decides again on the new state. Who submits many refreshes `later`, once.
 * @throws ConsultaError REFUSED with the protocol's reason; NOT_YET for a foreign colleague's message
 * that came too early; UNAVAILABLE when the event may or may not be stored: the same submission
 * again is safe.
 */
export async function submit(
  session: Session,
  draft: Draft,
  follows: "now" | "later" = "now",
): Promise<Submitted> {
  const submitted = await appendDecided(
    session,
    (current) => submitTo(current, draft, follows),
    async (overtaken) => finishOthers(await readSession(overtaken)),
  );
  if (!submitted.repeated) return submitted;
  // Who sent it first may have died before its views were written.
  return { ...submitted, session: await repairViews(submitted.session) };
}

/** Undefined when another writer is faster. */
async function submitTo(
  current: Session,
  draft: Draft,
  follows: "now" | "later",
): Promise<Submitted | undefined> {
  const { state, place, kind } = current;
  const { participant } = draft;
  const sent = unconfirmedAppendsOf(place, draft);
  const known = await sent.seqIn(current);
  if (known !== undefined) {
    await deliverMail(current, mailOf(current));
    return outcome(current, current, known, undefined);
  }
  const { decision, wanted, evidence } = await decideOn(current, draft);
  if ("already" in decision) {
    await deliverMail(current, mailOf(current));
    return { ...outcome(current, current, decision.already, undefined), evidence };
  }
  const { event, additions = [] } = decision;
  if (kind.onlyWhenValid?.(event.event)) {
    await requireValid(current, event);
  }
  const staged = additions.map((addition) => stageWrite(place, event, addition));
  // What the decision rests on outlives a power cut as its event does.
  const guiding = kind.filesWanted(state, { for: "guidance", participant });
  syncFiles(place.folder, [...wanted, ...guiding], kind.standing(state).lastAt);
  // Before the event can be read: the mark shows that a script of ours wrote it.
  if (kind.sharedLog) markSeen(place, participant, draft.at);
  if (draft.byPerson === true) await markWord(place, event);
  const cursor = await appendNoted(sent, current, event, async (shared) => {
    return documentsOf(current, { event, participant, wanted, additions }, shared);
  });
  if (cursor === undefined) {
    for (const it of staged) it.discard();
    return undefined;
  }
  const stored = withEvent(current, cursor, event);
  const isLater = follows === "later" && staged.length === 0;
  const after = isLater ? stored : await refresh(stored, event, mailOf(current), staged);
  if (draft.byPerson !== true) await tellPerson(current, stored);
  const told = [...(decision.remarks ?? []), ...secretRemarks(draft)];
  const remarks = [...told, ...(await absentRemarks(place, additions))];
  return { ...outcome(current, after, event.seq, event), remarks, evidence };
}

/** What others may write as well is shown to be the person's own. */
async function markWord({ folder }: Place, event: LogEvent): Promise<void> {
  await markOwnWord(folder, wordIn(event));
}

async function tellPerson(before: Session, after: Session): Promise<void> {
  const [was, is] = [standingOf(before), standingOf(after)];
  if (!isNewsForPerson(was, is)) return;
  callPerson(after.place, is.seq);
}

function outcome(
  before: Session,
  session: Session,
  seq: number,
  event: LogEvent | undefined,
): Submitted {
  const repeated = event === undefined;
  return { session, before, seq, event, repeated, remarks: [], evidence: [] };
}

/**
 * What the protocol makes of a submission, with the files and the evidence that it looked at.
 * @throws ConsultaError as `submit` where it is turned away.
 */
async function decideOn(session: Session, draft: Draft) {
  const { kind, state, place } = session;
  const wanted = kind.filesWanted(state, { for: "decision", ...draft });
  const whole = { ...draft, files: await readFiles(place.folder, wanted) };
  const seen = await lookForClaims(session, whole);
  const records = seen?.map(({ record }) => record);
  const decision = kind.decide(
    state,
    records === undefined ? whole : { ...whole, evidence: records },
  );
  if (decision.ok) return { decision, wanted, evidence: seen ?? [] };
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

/** A submission before anybody looked at anything for it. */
type Draft = Omit<Submission, "files" | "evidence"> & {
  /** The AI CLI that it is made for, where that does not run this script. */
  readonly cli?: EvidenceProcess | undefined;
  /** The person does it themselves: nobody has to tell them. */
  readonly byPerson?: true;
};

/** What the protocol wants to be looked at first; undefined for nothing. */
async function lookForClaims(
  session: Session,
  submission: Submission & Pick<Draft, "cli">,
): Promise<ClaimEvidence[] | undefined> {
  const needed = session.kind.evidenceNeeded?.(session.state, submission) ?? [];
  if (needed.length === 0) return undefined;
  return claimEvidence(readersProject(session.place), needed, submission.cli);
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
async function absentRemarks(place: Place, additions: readonly Addition[]): Promise<string[]> {
  const lines = additions
    .filter(({ as }) => as === "section")
    .flatMap(({ text }) => text.split("\n").slice(1));
  if (lines.length === 0) return [];
  const absent = absentCitations(readersProject(place), place.folder, lines);
  if (absent.length === 0) return [];
  const text = `it cites ${absent.join(", ")}, which is not there`;
  return [`${text}; next time give paths from the project's root and lines that exist`];
}

function textsIn(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
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
    throw new ConsultaError("UNAVAILABLE", `${stored}: ${cause.message}; then run ${way} again`, {
      cause,
    });
  }
}
