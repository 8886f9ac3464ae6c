import { dirname, join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { isLeftBehind, type ProcessName, processIn, thisProcess } from "../clis/is-running.ts";
import { appendToFile, discardIfOld, namesIn, textIfSound } from "../files/atomic-file.ts";
import { existsSync, isRealFolder } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { discard } from "../files/safe-open.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { CarriedDocuments, Cursor } from "../log/event-log.ts";
import type { Submission } from "../protocol/protocol.ts";
import { type Place, pendingFolder } from "./place.ts";
import type { Session } from "./session.ts";

/**
 * A submission that went to other machines and got no answer: its event may be in the log all the same, and
 * nothing in it tells a repeated try from a second event of the same words. So each try is noted before it
 * goes out, in a file of its process, until an answer came; and the same submission again, once nobody waits for
 * that answer any more, is known by the event that a try became.
 */
export class UnansweredTries {
  readonly #folder: string;
  readonly #start: string;

  constructor(
    { folder }: Pick<Place, "folder">,
    { participant, origin, fields }: Pick<Submission, "participant" | "origin" | "fields">,
  ) {
    this.#folder = join(folder, pendingFolder);
    const about = [participant, origin, fields];
    this.#start = `${tryName}${sha256(JSON.stringify(about)).slice(0, 16)}-`;
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
      // Another was faster: this one is in no log.
      if (cursor === undefined) discard(this.#own());
      else if (isRealFolder(this.#folder)) this.#forget();
      return cursor;
    } catch (cause) {
      // It was not sent.
      if (cause instanceof ConsultaError && cause.code === "REFUSED") discard(this.#own());
      throw cause;
    }
  }

  #own(): string {
    return join(this.#folder, `${this.#start}${process.pid}`);
  }

  /** The files of those who no longer wait, and of this process, which waits for one answer at a time. */
  #left(): string[] {
    const names = namesIn(this.#folder).filter((name) => name.startsWith(this.#start));
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
