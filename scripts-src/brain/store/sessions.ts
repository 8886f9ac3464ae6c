import type { SqlRow } from "node:sqlite";
import { unavailable } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { brainLimits } from "../rules/limits.ts";
import { injection, type PastInjection } from "../rules/methods.ts";
import {
  type BrainEvent,
  type EventDraft,
  hasText,
  type Injection,
  type Snapshot,
  textOf,
} from "../rules/records.ts";
import { readShape } from "../rules/shapes.ts";
import type { BrainDatabase } from "./database.ts";
import { knownAs } from "./search.ts";
import { columnNumber, columnText, textIfAny } from "./sqlite.ts";

/** What the brain knows of the CLIs' sessions and has for them. `session` is the id that a CLI gave its session. */
export class SessionTable {
  readonly #database: BrainDatabase;

  constructor(database: BrainDatabase) {
    this.#database = database;
  }

  /** Notes what a session has in its context now. */
  markInjected(session: string, injections: readonly Injection[], at: string): void {
    this.#database.write(() => {
      const epoch = this.#epochOf(session);
      for (const { reason, subject, version, score, characters } of injections) {
        this.#database.run(
          `insert into injection (session, epoch, reason, subject, version, score, characters, at)
            values (?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[session, epoch, reason, subject, version, score ?? null, characters, at],
        );
      }
      const oldest = "(select max(id) from injection) - ?";
      this.#database.run(`delete from injection where id <= ${oldest}`, brainLimits.injections);
    });
  }

  /** The newest injections first, of all sessions. */
  injections(limit: number): PastInjection[] {
    return this.#all("select * from injection order by id desc limit ?", limit).map(injectionOf);
  }

  /** The memories that a session has in its context, as `knownAs` names them. */
  known(session: string): Set<string> {
    return this.#database.read(() => {
      const sql = `select subject, version from injection
        where session = ? and epoch = ? and reason in ('relevant', 'own')`;
      const rows = this.#database.all(sql, session, this.#epochOf(session));
      return new Set(
        rows.map((row) =>
          knownAs({ key: columnText(row, "subject"), version: columnNumber(row, "version") }),
        ),
      );
    });
  }

  /** Says that a session's context was emptied (compaction, clear): all may be injected again. */
  beginEpoch(session: string, at: string): void {
    this.#database.write(() => {
      this.#touch(session, at);
      this.#database.run("update session set epoch = epoch + 1 where id = ?", session);
    });
  }

  #epochOf(session: string): number {
    const row = this.#database.get("select epoch from session where id = ?", session);
    return row === undefined ? 0 : columnNumber(row, "epoch");
  }

  /** Makes sure that there is a row, and drops those of sessions that nobody goes back to. */
  #touch(session: string, at: string): void {
    this.#database.run(
      "insert into session (id, touched) values (?, ?) on conflict (id) do update set touched = ?",
      ...[session, at, at],
    );
    this.#database.run(
      `delete from session where id != ? and id in
        (select id from session order by touched desc, rowid desc limit -1 offset ?)`,
      ...[session, brainLimits.snapshots],
    );
  }

  /** Saves fields of a session's state; those saved before under other names stay. */
  saveSnapshot({ session, cli, content, at }: Snapshot): void {
    this.#database.write(() => {
      const row = this.#database.get("select content from session where id = ?", session);
      const before = row && textIfAny(row, "content");
      const merged = JSON.stringify({ ...JSON.parse(before ?? "{}"), ...content });
      this.#touch(session, at);
      const sql = "update session set cli = ?, content = ?, saved = ? where id = ?";
      this.#database.run(sql, cli, merged, at, session);
    });
  }

  snapshotOf(session: string): Snapshot | undefined {
    const sql = "select * from session where id = ? and content is not null";
    return this.#all(sql, session).map(snapshotIn)[0];
  }

  /** The newest snapshots first. */
  snapshots(limit: number): Snapshot[] {
    const sql = `select * from session where content is not null
      order by saved desc, rowid desc limit ?`;
    return this.#all(sql, limit).map(snapshotIn);
  }

  /** The newest snapshot of another session that is not older than `since`. */
  latestSnapshot(exceptSession: string, since: string): Snapshot | undefined {
    const sql = `select * from session where id != ? and content is not null and saved >= ?
      order by saved desc, rowid desc limit 1`;
    return this.#all(sql, exceptSession, since).map(snapshotIn)[0];
  }

  /** Replaces what is kept of a session: which alerts it was given, what it is still owed. */
  saveLatches(session: string, latches: JsonObject, at: string): void {
    this.#database.write(() => {
      this.#touch(session, at);
      const sql = "update session set latches = ? where id = ?";
      this.#database.run(sql, JSON.stringify(latches), session);
    });
  }

  latches(session: string): JsonObject | undefined {
    const sql = "select latches from session where id = ? and latches is not null";
    const [row] = this.#all(sql, session);
    return row && JSON.parse(columnText(row, "latches"));
  }

  /** Queues an event and returns its number. @throws ConsultaError UNAVAILABLE when too many wait. */
  saveEvent({ kind, text, source, session }: EventDraft, at: string): number {
    return this.#database.write(() => {
      if (this.#database.count("event where taken is null") >= brainLimits.eventsPending) {
        const reason = `${brainLimits.eventsPending} events wait for a session, which is the limit`;
        throw unavailable(`${reason}: try again when a session took some`);
      }
      const row = this.#database.get(
        "insert into event (kind, text, source, session, at) values (?, ?, ?, ?, ?) returning id",
        ...[kind, JSON.stringify(text), source, session ?? null, at],
      );
      return columnNumber(row, "id");
    });
  }

  /** What no session was given yet and this one may have, oldest first. */
  pendingEvents(session: string): BrainEvent[] {
    const sql = `select * from event where taken is null and (session is null or session = ?)
      order by id`;
    return this.#all(sql, session).map(eventOf);
  }

  /** Whether events wait for a session. */
  hasEvents(): boolean {
    return this.#all("select id from event where taken is null limit 1").length > 0;
  }

  /** Marks events as taken, and deletes the taken ones but for the newest. */
  markDelivered(session: string, events: readonly number[], at: string): void {
    this.#database.write(() => {
      for (const id of events) {
        const sql = "update event set taken = ?, taken_by = ? where id = ? and taken is null";
        this.#database.run(sql, at, session, id);
      }
      this.#database.run(
        `delete from event where id in
          (select id from event where taken is not null order by id desc limit -1 offset ?)`,
        brainLimits.eventsDelivered,
      );
    });
  }

  /** For `forget`, which opens the transaction: whatever holds a text. */
  removeHolding(text: string): { readonly snapshots: number; readonly events: number } {
    for (const row of this.#database.all("select distinct subject from injection")) {
      const subject = columnText(row, "subject");
      if (hasText(subject, text)) {
        this.#database.run("delete from injection where subject = ?", subject);
      }
    }
    const events = this.#database.all("select * from event").map(eventOf);
    const told = events.filter((event) => hasText(`${event.text}\n${event.source}`, text));
    for (const { id } of told) this.#database.run("delete from event where id = ?", id);
    const saved = this.#database.all("select * from session where content is not null");
    const holders = saved.map(snapshotIn).filter(({ content }) => hasText(textOf(content), text));
    for (const { session } of holders) {
      const sql = "update session set content = null, cli = null, saved = null where id = ?";
      this.#database.run(sql, session);
    }
    return { snapshots: holders.length, events: told.length };
  }

  #all(sql: string, ...values: (string | number)[]): SqlRow[] {
    return this.#database.read(() => this.#database.all(sql, ...values));
  }
}

function snapshotIn(row: SqlRow): Snapshot {
  return {
    session: columnText(row, "id"),
    cli: columnText(row, "cli"),
    content: JSON.parse(columnText(row, "content")),
    at: columnText(row, "saved"),
  };
}

function eventOf(row: SqlRow): BrainEvent {
  return {
    kind: columnText(row, "kind") === "suggestion" ? "suggestion" : "event",
    text: JSON.parse(columnText(row, "text")),
    source: columnText(row, "source"),
    ...defined({ session: textIfAny(row, "session") }),
    id: columnNumber(row, "id"),
    at: columnText(row, "at"),
  };
}

function injectionOf({ id: _, score, ...row }: SqlRow): PastInjection {
  const read = readShape(injection, score === null ? row : { ...row, score }, []);
  if (read === undefined) throw new TypeError("a row is no injection");
  return read;
}
