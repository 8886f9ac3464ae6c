import type { SqlRow } from "node:sqlite";
import { ConsultaError } from "../../base/errors.ts";
import { defined } from "../../base/omit-undefined.ts";
import type { BrainEvent, EventDraft } from "../rules/brain-store.ts";
import { brainLimits } from "../rules/limits.ts";
import { hasText } from "../rules/memory-change.ts";
import { checkEventDraft, checkSession } from "../rules/validate-memory.ts";
import type { BrainDatabase } from "./brain-database.ts";
import { columnNumber, columnText, textIfAny } from "./sql-row.ts";

/** Events on their way to sessions. The caller opens the transaction. */
export class EventTable {
  readonly #database: BrainDatabase;

  constructor(database: BrainDatabase) {
    this.#database = database;
  }

  saveEvent(event: EventDraft, at: string): number {
    checkEventDraft(event);
    const pending = this.countPending();
    if (pending >= brainLimits.eventsPending) {
      const reason = `${pending} events wait for a session, which is the limit`;
      throw new ConsultaError("UNAVAILABLE", `${reason}: try again when a session took some`);
    }
    const { kind, text, source, session } = event;
    const row = this.#database.get(
      `insert into event (kind, text, source, session, at) values (?, ?, ?, ?, ?) returning id`,
      ...[kind, JSON.stringify(text), source, session ?? null, at],
    );
    return columnNumber(row, "id");
  }

  pendingEvents(session: string): BrainEvent[] {
    checkSession(session);
    const sql = `select * from event where taken is null and (session is null or session = ?)
      order by id`;
    return this.#database.all(sql, session).map(eventOf);
  }

  /** The sessions that pending events are for; null for an event that any session may take. */
  awaited(): (string | null)[] {
    const rows = this.#database.all("select distinct session from event where taken is null");
    return rows.map((row) => textIfAny(row, "session") ?? null);
  }

  /** Marks events as taken, and deletes the taken ones but for the newest. */
  markDelivered(session: string, events: readonly number[], at: string): void {
    checkSession(session);
    for (const id of events) {
      const sql = "update event set taken = ?, taken_by = ? where id = ? and taken is null";
      this.#database.run(sql, at, session, id);
    }
    this.#database.run(
      `delete from event where id in
        (select id from event where taken is not null order by id desc limit -1 offset ?)`,
      brainLimits.eventsDelivered,
    );
  }

  /** Deletes the events that hold a text, taken or not; returns how many. */
  forgetEvents(text: string): number {
    const rows = this.#database.all("select * from event");
    const holders = rows
      .map(eventOf)
      .filter((event) => hasText(`${event.text}\n${event.source}`, text));
    for (const { id } of holders) this.#database.run("delete from event where id = ?", id);
    return holders.length;
  }

  countPending(): number {
    const sql = "select count(*) as count from event where taken is null";
    return columnNumber(this.#database.get(sql), "count");
  }
}

function eventOf(row: SqlRow): BrainEvent {
  const session = textIfAny(row, "session");
  return {
    kind: columnText(row, "kind") === "suggestion" ? "suggestion" : "event",
    text: JSON.parse(columnText(row, "text")),
    source: columnText(row, "source"),
    ...defined({ session }),
    id: columnNumber(row, "id"),
    at: columnText(row, "at"),
  };
}
