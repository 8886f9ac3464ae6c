import type { Clock } from "../base/clock.ts";
import { ConsultaError, refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { nameHint } from "../base/nearest-name.ts";
import type { ForeignChange, SessionState, Submission } from "../protocol/protocol.ts";
import { stateAfter } from "../protocol/session-state.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines } from "../script/output.ts";
import { deliverMail, mailFor, mailOf } from "./inbox/deliver.ts";
import { type EnteredMail, importInbox } from "./inbox/import-inbox.ts";
import { callPerson } from "./notify.ts";
import type { Place } from "./place.ts";
import { readFiles } from "./read-files.ts";
import { type Reading, readSession, type Session, standingOf } from "./session.ts";
import { finishStagedWrites } from "./staged-writes.ts";
import { submit } from "./submit.ts";
import { keepUntracked } from "./workspace/workspace.ts";
import { repairViews } from "./write-views.ts";

/** How a session is opened; as it is here, unless more is said. */
export interface Opening extends Reading {
  /**
   * Asks first what the other machines that share it have sent. Where that fails, one who only reads goes on with
   * what is here (`try`), unless its history was rewritten; one who acts does where the store is out of reach
   * (`unless-offline`); one who appends decides on nothing that may be old (`must`).
   */
  readonly fetch?: "try" | "unless-offline" | "must" | undefined;
  /**
   * What others did to its files without our scripts: entered, with what writers that died left undone; or only
   * folded, for those who write nothing: such a session is not to be appended to.
   */
  readonly changes?: "enter" | "preview";
  /** Who acts: has to be in it, and what the original scripts left in its inbox is entered. */
  readonly participant?: string;
  readonly clock?: Clock;
}

/** What a participant gets who opens a session. */
export interface OpenedSession extends Session {
  /** What became of the letters in the inbox of its participant. */
  readonly entered: EnteredMail;
}

/**
 * Opens the session of a place, or reads on in one that was opened before: the one way to come to a session.
 * @throws ConsultaError REFUSED where there is none, it is damaged, its store is not what it was, or the participant
 * is not in it; UNAVAILABLE when the disk refuses, or the store is out of reach of one who appends.
 */
export async function openSession(
  from: Place | Session,
  opening: Opening = {},
): Promise<OpenedSession> {
  const { fetch, changes, participant, clock = systemClock } = opening;
  const isKnown = "place" in from;
  // One that is known is read on where its store has news.
  let session = isKnown && fetch !== undefined ? from : await readSession(from, opening);
  const { workspace } = session.place;
  // Who goes on in a session keeps it out of the project's history, also where somebody removed what does.
  const looks = fetch === undefined || fetch === "try" || opening.mayBeFaulty === true;
  const goesOn = changes === "enter" || !looks;
  if (goesOn && !isKnown && workspace !== undefined) await keepUntracked(workspace.root);
  if (fetch !== undefined) session = await fetched(session, isTolerated[fetch]);
  if (changes === "preview") session = await previewChanges(session, clock);
  if (changes === "enter") {
    // Only documents are finished so: messages are delivered by every script that looks for them.
    if (session.kind.mail === undefined) await finishStagedWrites(session);
    if (session.kind.notice !== undefined) session = await importChanges(session, clock);
  }
  if (participant === undefined) return { ...session, entered: nothing };
  return enterLetters(session, participant, clock);
}

const nothing: EnteredMail = { rejected: [], waiting: undefined, opened: [] };

const isTolerated: Record<"try" | "unless-offline" | "must", (cause: ConsultaError) => boolean> = {
  try: ({ reason }) => reason !== "rewritten",
  "unless-offline": isOutOfReach,
  must: () => false,
};

function isOutOfReach({ code }: ConsultaError): boolean {
  return code === "UNAVAILABLE";
}

/**
 * The session as all machines have it that share it, with what follows from that here: deliveries,
 * views, a call to the person.
 */
async function fetched(
  known: Session,
  mayBeOld: (cause: ConsultaError) => boolean,
): Promise<Session> {
  try {
    if (!(await known.log.fetch())) return known;
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || !mayBeOld(cause)) throw cause;
    // What is out of reach is no reason to run this again: it goes on from here.
    const told = isOutOfReach(cause) ? (cause.fault ?? cause.message) : cause.message;
    printErrorLines(`note: ${told}; here it stands at event ${known.cursor.seq}`);
    return known;
  }
  const session = await readSession(known);
  await deliverMail(session, mailOf(session));
  const newest = await repairViews(session);
  callPerson(newest.place, standingOf(newest), standingOf(known));
  return newest;
}

async function enterLetters(
  session: Session,
  participant: string,
  clock: Clock,
): Promise<OpenedSession> {
  const { kind, state, place } = session;
  const { participants } = kind.standing(state);
  if (kind.isOpen !== true && !participants.includes(participant)) {
    const who = kind.sharedLog
      ? `participant ${quote(participant)} is not listed in protocol.json`
      : `${participant} is not in session ${place.id}`;
    const hint = nameHint(participant, participants, "its participants are");
    throw refused(`${who}; ${hint}`);
  }
  if (kind.mail === undefined || place.workspace === undefined)
    return { ...session, entered: nothing };
  const received = mailFor(session, participant);
  await deliverMail(session, received);
  const files = new Set(received.map(({ file }) => file));
  const entered = await importInbox(place.workspace, participant, clock, files);
  if (entered === undefined) return { ...session, entered: nothing };
  return { ...(await readSession(session)), entered };
}

/** Others act while this one looks: after so many rounds the next script goes on. */
const roundsMax = 8;

/** Enters in the log what others did to the session's files, in the order in which the protocol finds it. */
async function importChanges(known: Session, clock: Clock): Promise<Session> {
  let session = known;
  for (let rounds = 0; rounds < roundsMax; rounds += 1) {
    const before = session.cursor.seq;
    for (const change of await changesIn(session)) session = await enter(session, change, clock);
    if (session.cursor.seq === before) break;
  }
  return session;
}

async function enter(session: Session, change: ForeignChange, clock: Clock): Promise<Session> {
  try {
    return (await submit(session, { ...change, origin: "folder" }, clock)).session;
  } catch (cause) {
    // What another script has entered meanwhile is no news any more.
    if (cause instanceof ConsultaError && cause.code !== "UNAVAILABLE") return session;
    throw cause;
  }
}

/** Folds the events that `importChanges` would enter; nothing is written. */
async function previewChanges(known: Session, clock: Clock): Promise<Session> {
  let at: SessionState = known;
  const { folder } = known.place;
  for (let rounds = 0; rounds < roundsMax; rounds += 1) {
    const before = at;
    for (const change of await changesIn({ ...at, place: known.place })) {
      const { kind, state } = at;
      const files = await readFiles(
        folder,
        kind.filesWanted(state, { for: "decision", ...change }),
      );
      const by = { origin: "folder", at: clock.now(), id: "" } as const;
      const submission: Submission = { ...change, ...by, files };
      const decision = kind.decide(state, submission);
      if (decision.ok && "event" in decision) at = stateAfter(at, decision.event);
    }
    if (at === before) break;
  }
  return { ...known, state: at.state };
}

async function changesIn({
  kind,
  state,
  place,
}: Pick<Session, "kind" | "state" | "place">): Promise<ForeignChange[]> {
  if (kind.notice === undefined) return [];
  return kind.notice(
    state,
    await readFiles(place.folder, kind.filesWanted(state, { for: "notice" })),
  );
}
