import { dirname, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { ConsultaError, tryAgain } from "../base/errors.ts";
import { parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { once } from "../base/once.ts";
import { isLeftBehind, type ProcessName, processIn, thisProcess } from "../clis/is-running.ts";
import { appendToFile, discardIfOld, namesIn, textIfSound } from "../files/atomic-file.ts";
import { existsSync, isRealFolder } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { discard } from "../files/safe-open.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { CarriedDocuments, Cursor } from "../log/event-log.ts";
import type { Stage } from "../protocol/person-step.ts";
import type { Delivery, Submission } from "../protocol/protocol.ts";
import { type Place, pendingFolder } from "./place.ts";
import { readSession, type Session, standingOf, withEvent } from "./session.ts";
import { repairViews } from "./write-views.ts";

/**
 * Lets `attempt` decide and append, again on the new state each time that another writer is faster:
 * it then returns undefined.
 * @throws ConsultaError UNAVAILABLE when others are faster every time.
 */
export async function appendDecided<Result>(
  session: Session,
  attempt: (current: Session) => Promise<Result | undefined>,
  readOn: (current: Session) => Promise<Session> = readSession,
): Promise<Result> {
  let current = session;
  for (let tries = 0; tries < limits.appendTries; tries += 1) {
    const result = await attempt(current);
    if (result !== undefined) return result;
    current = await readOn(current);
  }
  throw new ConsultaError(
    "UNAVAILABLE",
    `session ${session.place.id} is busy: ${limits.appendTries} others wrote first; ${tryAgain}`,
  );
}

/** Appends the event that `noted` makes of the newest state, if any, and returns the session with it. */
export function appendNote(
  session: Session,
  noted: (current: Session) => Promise<LogEvent | undefined>,
): Promise<Session> {
  return appendDecided(session, async (current) => {
    const event = await noted(current);
    if (event === undefined) return current;
    const cursor = await current.log.append(current.cursor, event);
    return cursor && withEvent(current, cursor, event);
  });
}

/**
 * Enters that the messages which await an act of `participant` were announced to it (`rung`) or put
 * before it (`in_turn`), where they had not come so far yet, and returns the session with that. Appends
 * nothing where there is nothing to enter. `which` leaves messages out; what came after `session` was
 * read is left out anyway: nobody has shown it.
 * @throws ConsultaError UNAVAILABLE when the log cannot be written; the message stays as it was.
 */
export async function noteDelivery(
  session: Session,
  participant: string,
  stage: Stage,
  by: string,
  clock: Clock,
  which: (delivery: Delivery) => boolean = () => true,
): Promise<Session> {
  const shown = session.kind.mail?.pending(session.state, participant).filter(which) ?? [];
  const messages = shown.map(({ seq }) => seq);
  const note = () => ({ participant, stage, messages, by, at: clock.now(), id: clock.newId() });
  return appendNote(session, async (current) => {
    const event = current.kind.mail?.note(current.state, note());
    // Views are repaired now: after this note the event that they belong to is no longer the newest.
    if (event !== undefined && standingOf(current).ended) await repairViews(current);
    return event;
  });
}

/**
 * A submission that went to other machines and got no answer: its event may be in the log all the same, and
 * nothing in it tells a repeated try from a second event of the same words. So each try is noted before it
 * goes out, in a file of its process, until an answer came; and the same submission again, once nobody waits for
 * that answer any more, is known by the event that a try became.
 */
export class UnansweredTries {
  readonly #folder: string;
  readonly #start: () => string;

  constructor(
    { folder }: Pick<Place, "folder">,
    { participant, origin, fields }: Pick<Submission, "participant" | "origin" | "fields">,
  ) {
    this.#folder = join(folder, pendingFolder);
    const about = [participant, origin, fields];
    // Local sessions have no notes: what was submitted is hashed for others alone.
    this.#start = once(() => `${tryName}${sha256(JSON.stringify(about)).slice(0, 16)}-`);
  }

  /** The seq of the event that a try became which nobody waits for; undefined where none did. */
  async seqIn({ log, cursor }: Pick<Session, "log" | "cursor">): Promise<number | undefined> {
    if (!isRealFolder(this.#folder)) return undefined;
    const tries = this.#left().flatMap((path) => [...textOf(path).matchAll(tryLine)]);
    for (const [, digits, hash] of tries) {
      const seq = Number(digits);
      const event = seq > cursor.seq ? undefined : await log.at(seq);
      if (event === undefined || hashOf(event) !== hash) continue;
      this.#forget();
      return seq;
    }
    return undefined;
  }

  /**
   * Appends an event as the log does; `documents` are those that it carries to other machines.
   * @throws ConsultaError as the log does; UNAVAILABLE when the try cannot be noted.
   */
  async append(
    { log, cursor: after }: Pick<Session, "log" | "cursor">,
    event: LogEvent,
    documents: CarriedDocuments,
  ): Promise<Cursor | undefined> {
    const noted: CarriedDocuments = async (shared) => {
      ensureFolder(dirname(this.#folder), pendingFolder);
      const own = this.#own();
      const owner = existsSync(own) ? "" : `${JSON.stringify(thisProcess())}\n`;
      appendToFile(own, `${owner}${event.seq} ${hashOf(event)}\n`);
      return documents(shared);
    };
    try {
      const cursor = await log.append(after, event, noted);
      if (cursor !== undefined && isRealFolder(this.#folder)) this.#forget();
      return cursor;
    } catch (cause) {
      // It was not sent.
      if (cause instanceof ConsultaError && cause.code === "REFUSED") discard(this.#own());
      throw cause;
    }
  }

  #own(): string {
    return join(this.#folder, `${this.#start()}${process.pid}`);
  }

  /** The files of those who no longer wait, and of this process, which waits for one answer at a time. */
  #left(): string[] {
    const names = namesIn(this.#folder).filter((name) => name.startsWith(this.#start()));
    return names
      .map((name) => join(this.#folder, name))
      .filter((path) => path === this.#own() || isLeftBehind(path, ownerOf(path), deadMs));
  }

  #forget(): void {
    for (const path of this.#left()) discard(path);
  }
}

const tryName = "unanswered-";
const tryLine = /^(\d{1,15}) ([0-9a-f]{64})$/gm;
/** No store lets a try wait so long: who made it is dead, whatever else has its number now. */
const deadMs = 120_000;
/** A submission that nobody made again by then is given up. */
const givenUpMs = 30 * 86_400_000;

/** Removes the notes of submissions that nobody made again, among these names of the folder of notes. */
export function dropGivenUp(folder: string, names: readonly string[]): void {
  for (const name of names)
    if (name.startsWith(tryName)) discardIfOld(join(folder, name), givenUpMs);
}

function textOf(path: string): string {
  return textIfSound(path, limits.messageBytes) ?? "";
}

function ownerOf(path: string): ProcessName {
  return processIn(parseJsonObject(textOf(path).split("\n")[0] ?? "") ?? {});
}

/** Of the event as it was sent: the log adds what chains it to the one before. */
function hashOf({ prev: _, ...event }: LogEvent): string {
  return sha256(JSON.stringify(event));
}
