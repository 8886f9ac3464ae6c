import { constants } from "node:fs";
import { join } from "node:path";
import { ConsultaError, refused } from "../base/errors.ts";
import { isRecord } from "../base/json.ts";
import { diskFailure, errnoOf, isErrno } from "../files/disk.ts";
import { refuseOtherNames, withRegularFile } from "../files/safe-open.ts";
import { appendSteps, type LogHome } from "./compare-and-swap.ts";
import { markBegun } from "./created-locally.ts";
import type { LogEvent } from "./event.ts";
import type { Checkpoint, Cursor, EventLog, LogFollower, Page } from "./event-log.ts";
import { type ChainCheck, checkChain, emptyChain, findDamage } from "./inspect-log.ts";
import { readCheckpoint, writeCheckpoint } from "./log-checkpoint.ts";
import { chainedLine } from "./log-line.ts";
import { findEvent, type LogPosition, placeAfterLine, readLogPage } from "./log-page.ts";

export interface FileEventLogOptions {
  /** Outlive a power cut, not only a crash of the process; the default. */
  readonly durable?: boolean;
  /** Others write the log as well: their events are read as they are, with their faults. */
  readonly shared?: boolean;
  /** This is to be a new session of the user's own: see `markBegun`. */
  readonly begins?: boolean;
}

/**
 * The log of a session in its folder: `events.jsonl`, one event a line. Of two writers that append the
 * very same bytes one wins, as of any two.
 */
export class FileEventLog implements EventLog {
  readonly start: Cursor = { seq: 0, mark: { offset: 0 } };
  readonly #home: LogHome;
  readonly #checkpoint: string;
  readonly #begins: boolean;

  constructor(folder: string, options: FileEventLogOptions = {}) {
    const { durable = true, shared = false, begins = false } = options;
    this.#begins = begins;
    this.#home = { folder, log: join(folder, "events.jsonl"), durable, shared };
    this.#checkpoint = join(folder, ".checkpoint.json");
  }

  async read(after: Cursor): Promise<Page> {
    const from = placeOf(after);
    const page = this.#withLog((log) => readLogPage(log, this.#home.log, from, this.#home));
    if (page !== undefined) {
      const { events, faults, more } = page;
      return { events, faults, cursor: cursorOf(page.place), more };
    }
    if (from.offset === 0) return { events: [], faults: [], cursor: after, more: false };
    const reason = `${this.#home.log} is gone; event ${after.seq} was read from it`;
    throw refused(`${reason}: put it back`);
  }

  async damage(): Promise<string[]> {
    return this.#withLog((log) => findDamage(log)) ?? [];
  }

  async chain(): Promise<ChainCheck> {
    return this.#withLog(checkChain) ?? emptyChain;
  }

  async at(seq: number): Promise<LogEvent | undefined> {
    const found = this.#withLog((log) => findEvent(log, seq))?.event;
    // Where others write as well, an event may say another seq than its place has.
    return found === undefined && this.#home.shared ? this.#scan(seq) : found;
  }

  async before(seq: number): Promise<Cursor | undefined> {
    if (seq === 1) return this.start;
    // Where others write as well, an event may say another seq than its place has.
    if (this.#home.shared) return undefined;
    const found = this.#withLog((log) => findEvent(log, seq));
    return found && cursorOf({ seq: seq - 1, offset: found.offset });
  }

  async #scan(seq: number): Promise<LogEvent | undefined> {
    for (let cursor = this.start, more = true; more; ) {
      const page = await this.read(cursor);
      const event = page.events[seq - 1 - cursor.seq];
      if (event !== undefined) return event;
      ({ cursor, more } = page);
    }
    return undefined;
  }

  /** The place after the one event that follows `after`, which is there. */
  async placeAfter(after: Cursor): Promise<Cursor> {
    const place = this.#withLog((log) => placeAfterLine(log, placeOf(after)));
    if (place === undefined) throw new Error(`event ${after.seq + 1} is not in ${this.#home.log}`);
    return cursorOf(place);
  }

  async append(after: Cursor, event: LogEvent): Promise<Cursor | undefined> {
    if (this.#begins && event.seq === 1) {
      markBegun(this.#home.folder, chainedLine(event, undefined));
    }
    const steps = this.appendSteps(after, event);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** An append that pauses wherever another process may act, for tests that schedule writers. */
  *appendSteps(after: Cursor, event: LogEvent): Generator<string, Cursor | undefined> {
    if (event.seq !== after.seq + 1) {
      throw new RangeError(`event ${event.seq} cannot follow event ${after.seq}`);
    }
    try {
      const place = yield* appendSteps(this.#home, placeOf(after), event);
      return place && cursorOf(place);
    } catch (error) {
      throw diskFailure(error, `append to ${this.#home.log}`);
    }
  }

  async differences(): Promise<string[]> {
    return [];
  }

  /** Nothing comes from elsewhere. */
  async fetch(): Promise<boolean> {
    return false;
  }

  async follow(_follower: LogFollower): Promise<() => Promise<void>> {
    return async () => undefined;
  }

  async loadCheckpoint(): Promise<Checkpoint | undefined> {
    const stored = this.#withLog((log) => readCheckpoint(this.#checkpoint, log));
    return stored && { cursor: cursorOf(stored.place), value: stored.value };
  }

  async saveCheckpoint({ cursor, value }: Checkpoint): Promise<void> {
    try {
      const place = placeOf(cursor);
      this.#withLog((log) => writeCheckpoint(this.#checkpoint, log, { place, value }));
    } catch (error) {
      // A checkpoint is a convenience: a disk that refuses it must not fail the caller.
      const cause = error instanceof ConsultaError ? error.cause : error;
      if (errnoOf(cause) === undefined) throw error;
    }
  }

  /** Works on the open log; undefined when there is none yet. */
  #withLog<T>(work: (log: number) => T): T | undefined {
    let opened = false;
    try {
      return withRegularFile(this.#home.log, constants.O_RDONLY, (log, status) => {
        opened = true;
        refuseOtherNames(this.#home.log, status);
        return work(log);
      });
    } catch (error) {
      if (!opened && isErrno(error, "ENOENT")) return undefined;
      throw diskFailure(error, `read ${this.#home.log}`);
    }
  }
}

function cursorOf({ seq, offset }: LogPosition): Cursor {
  return { seq, mark: { offset } };
}

function placeOf({ seq, mark }: Cursor): LogPosition {
  const offset = isRecord(mark) ? mark["offset"] : undefined;
  if (typeof offset !== "number" || !Number.isSafeInteger(offset) || offset < 0) {
    throw new TypeError(`not a cursor of a file log: ${JSON.stringify(mark)}`);
  }
  return { seq, offset };
}
