import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { once } from "../base/once.ts";
import { isLeftBehind, processIn, thisProcess } from "../clis/is-running.ts";
import { discardIfOld, namesIn, textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync, isRealFolder } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { discard } from "../files/regular-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { CarriedDocuments, Cursor } from "../log/event-log.ts";
import type { Submission } from "../protocol/protocol.ts";
import { type Place, pendingFolder } from "./place.ts";
import type { Session } from "./session.ts";

/**
 * A submission that went to other machines and got no answer: its event may be in the log all the same, and
 * nothing in it tells a repeated try from a second event of the same words. So each try is noted before it
 * goes out, and the same submission again, by whoever is left when the one who tried is not, is known by the
 * event that a try became.
 *
 *   noted --stored, overtaken or refused--> (gone)
 *     | no answer, or the process dies
 *     v
 *   left --the same submission again--> its event is in the log: known; else noted beside it, and sent
 */
export interface Unanswered {
  /**
   * The seq of the event that a try became which nobody waits for any more, and whose tries are settled by it;
   * undefined where none did.
   */
  seqIn(session: Pick<Session, "log" | "cursor">): Promise<number | undefined>;
  /** Notes a try of this process. @throws ConsultaError UNAVAILABLE when the disk refuses. */
  note(event: LogEvent): void;
  /** The answer to a try was that its event is not in the log. */
  withdraw(event: LogEvent): void;
  /** An event of the submission is known to be in the log: nothing of it is open any more. */
  forget(): void;
}

interface Try {
  readonly seq: number;
  readonly hash: string;
}

const noteName = /^unanswered-[0-9a-f]{16}-\d+\.json$/;
/** Each of so many may still come in late: an agent may try again for hours. */
const triesMax = 4_000;
/** No store lets a try wait so long: who made it is dead, whatever else has its number now. */
const deadMs = 120_000;
/** A submission that nobody made again by then is given up. */
const givenUpMs = 30 * 86_400_000;

/** The notes of one submission: a file for each process that tried. */
export function unconfirmedAppendsOf(
  { folder }: Pick<Place, "folder">,
  { participant, origin, fields }: Pick<Submission, "participant" | "origin" | "fields">,
): Unanswered {
  const notes = join(folder, pendingFolder);
  // Local sessions have no notes: what was submitted is hashed for others alone.
  const start = once(() => `unanswered-${hashOf([participant, origin, fields]).slice(0, 16)}-`);
  const own = () => join(notes, `${start()}${process.pid}.json`);
  /** The files of those who no longer wait, and of this process, which waits for one answer at a time. */
  const left = () =>
    namesIn(notes)
      .filter((name) => noteName.test(name) && name.startsWith(start()))
      .map((name) => join(notes, name))
      .filter((path) => path === own() || isLeftBehind(path, processIn(noteIn(path)), deadMs));
  const write = (tries: readonly Try[]) => {
    const text = JSON.stringify({ ...thisProcess(), tries: tries.slice(-triesMax) });
    writeFileAtomically(own(), `${text}\n`);
  };
  const forget = () => {
    if (isRealFolder(notes)) for (const path of left()) discard(path);
  };
  return {
    async seqIn({ log, cursor }) {
      // Local sessions have no notes, and most shared ones none.
      if (!isRealFolder(notes)) return undefined;
      const hashes = new Map<number, string>();
      for (const { seq, hash } of left().flatMap(triesIn)) {
        const event = seq > cursor.seq || hashes.has(seq) ? undefined : await log.at(seq);
        if (event !== undefined) hashes.set(seq, hashOf(unchained(event)));
        if (hashes.get(seq) !== hash) continue;
        forget();
        return seq;
      }
      return undefined;
    },
    note(event) {
      ensureFolder(folder, pendingFolder);
      const paths = left();
      write([...paths.flatMap(triesIn), { seq: event.seq, hash: hashOf(event) }]);
      // Now they are in our own.
      for (const path of paths) if (path !== own()) discard(path);
    },
    withdraw(event) {
      const hash = hashOf(event);
      const tries = existsSync(own()) ? triesIn(own()) : [];
      const others = tries.filter((it) => it.hash !== hash);
      if (others.length === tries.length) return;
      if (others.length === 0) discard(own());
      else write(others);
    },
    forget,
  };
}

/**
 * Appends an event as the log does, and notes the try before it goes to other machines; what comes of it
 * settles its note. `documents` are those that it carries there.
 */
export async function appendNoted(
  sent: Unanswered,
  { log, cursor: after }: Pick<Session, "log" | "cursor">,
  event: LogEvent,
  documents: CarriedDocuments,
): Promise<Cursor | undefined> {
  const noted: CarriedDocuments = async (shared) => {
    sent.note(event);
    return documents(shared);
  };
  try {
    const cursor = await log.append(after, event, noted);
    if (cursor === undefined) sent.withdraw(event);
    else sent.forget();
    return cursor;
  } catch (cause) {
    if (cause instanceof ConsultaError && cause.code === "REFUSED") sent.withdraw(event);
    throw cause;
  }
}

/** Removes the notes of submissions that nobody made again, among these names of the folder of notes. */
export function dropGivenUp(folder: string, names: readonly string[]): void {
  for (const path of names.filter((name) => noteName.test(name)).map((name) => join(folder, name)))
    discardIfOld(path, givenUpMs);
}

/** The tries that a file notes; none where it cannot be read. */
function triesIn(path: string): Try[] {
  const { tries } = noteIn(path);
  if (!Array.isArray(tries)) return [];
  return tries.flatMap((it) => {
    const { seq, hash } = isRecord(it) ? it : {};
    return typeof seq === "number" && typeof hash === "string" ? [{ seq, hash }] : [];
  });
}

function noteIn(path: string): Record<string, unknown> {
  return parseJsonObject(textIfSound(path, limits.messageBytes) ?? "") ?? {};
}

/** As it was sent: the log adds what chains it to the event before. */
function unchained({ prev: _, ...event }: LogEvent): unknown {
  return event;
}

function hashOf(value: unknown): string {
  return sha256(Buffer.from(JSON.stringify(value)));
}
