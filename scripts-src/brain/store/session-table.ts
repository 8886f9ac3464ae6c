import type { SqlRow } from "node:sqlite";
import type { JsonObject } from "../../base/json.ts";
import type { Injection, InjectionReason, PastInjection, Snapshot } from "../rules/brain-store.ts";
import { brainLimits } from "../rules/limits.ts";
import { hasText } from "../rules/memory-change.ts";
import { textOf } from "../rules/searchable-text.ts";
import {
  boundedCount,
  boundedJson,
  checkInjections,
  checkSession,
  checkSnapshot,
} from "../rules/validate-memory.ts";
import type { BrainDatabase } from "./brain-database.ts";
import { echoDigest, type MemoryTable } from "./memory-table.ts";
import { columnNumber, columnText, numberIfAny, textIfAny } from "./sql-row.ts";

const reasons: readonly InjectionReason[] = ["relevant", "restore", "event", "own", "alert"];

/** What the brain knows of the CLIs' sessions. Who calls opens the transaction. */
export class SessionTable {
  readonly #database: BrainDatabase;
  readonly #memories: MemoryTable;

  constructor(database: BrainDatabase, memories: MemoryTable) {
    this.#database = database;
    this.#memories = memories;
  }

  markInjected(session: string, injections: readonly Injection[], at: string): void {
    checkSession(session);
    checkInjections(injections);
    const epoch = this.#epochOf(session);
    for (const { reason, subject, version, score, characters } of injections) {
      const isEchoed = reason === "relevant";
      const value = isEchoed ? this.#memories.retrieve(subject)?.value : undefined;
      const echo = value === undefined ? null : echoDigest(value);
      this.#database.run(
        `insert into injection
          (session, epoch, reason, subject, version, score, characters, echo, at)
          values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[session, epoch, reason, subject, version, score, characters, echo, at],
      );
    }
    const oldest = "(select max(id) from injection) - ?";
    this.#database.run(`delete from injection where id <= ${oldest}`, brainLimits.injections);
  }

  injections(limit: number, session?: string): PastInjection[] {
    const which = session === undefined ? "? is null" : "session = ?";
    const sql = `select * from injection where ${which} order by id desc limit ?`;
    const rows = this.#database.all(sql, session ?? null, boundedCount(limit));
    return rows.map(injectionOf);
  }

  /** The memories that a session has in its context, as `knownAs` names them. */
  known(session: string): Set<string> {
    const sql = `select subject, version from injection
      where session = ? and epoch = ? and reason in ('relevant', 'own')`;
    const rows = this.#database.all(sql, session, this.#epochOf(session));
    return new Set(
      rows.map((row) =>
        knownAs({ key: columnText(row, "subject"), version: columnNumber(row, "version") }),
      ),
    );
  }

  /** Notes that name what is to be forgotten, whose memory may be gone already. */
  forgetInjections(text: string): void {
    const rows = this.#database.all("select distinct subject from injection");
    const subjects = rows.map((row) => columnText(row, "subject"));
    for (const subject of subjects.filter((each) => hasText(each, text))) {
      this.#database.run("delete from injection where subject = ?", subject);
    }
  }

  countInjections(): number {
    const row = this.#database.get("select count(*) as count from injection");
    return columnNumber(row, "count");
  }

  beginEpoch(session: string, at: string): void {
    this.#touch(session, at);
    this.#database.run("update session set epoch = epoch + 1 where id = ?", session);
  }

  #epochOf(session: string): number {
    const row = this.#database.get("select epoch from session where id = ?", session);
    return row === undefined ? 0 : columnNumber(row, "epoch");
  }

  /** Makes sure that there is a row, and drops those of sessions that nobody goes back to. */
  #touch(session: string, at: string): void {
    checkSession(session);
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

  saveSnapshot(snapshot: Snapshot): void {
    checkSnapshot(snapshot);
    const { session, cli, at } = snapshot;
    const merged = { ...this.snapshotOf(session)?.content, ...snapshot.content };
    const content = boundedJson(merged, brainLimits.snapshotBytes, "the snapshot");
    this.#touch(session, at);
    const sql = "update session set cli = ?, content = ?, saved = ? where id = ?";
    this.#database.run(sql, cli, content, at, session);
  }

  snapshotOf(session: string): Snapshot | undefined {
    const sql = "select * from session where id = ? and content is not null";
    const row = this.#database.get(sql, session);
    return row && snapshotIn(row);
  }

  snapshots(limit: number): Snapshot[] {
    const sql = `select * from session where content is not null
      order by saved desc, rowid desc limit ?`;
    return this.#database.all(sql, boundedCount(limit)).map(snapshotIn);
  }

  latestSnapshot(exceptSession: string, since: string): Snapshot | undefined {
    const sql = `select * from session where id != ? and content is not null and saved >= ?
      order by saved desc, rowid desc limit 1`;
    const row = this.#database.get(sql, exceptSession, since);
    return row && snapshotIn(row);
  }

  forgetSnapshots(text: string): number {
    const rows = this.#database.all("select * from session where content is not null");
    const holders = rows.map(snapshotIn).filter(({ content }) => hasText(textOf(content), text));
    for (const { session } of holders) {
      const sql = "update session set content = null, cli = null, saved = null where id = ?";
      this.#database.run(sql, session);
    }
    return holders.length;
  }

  countSnapshots(): number {
    const sql = "select count(*) as count from session where content is not null";
    return columnNumber(this.#database.get(sql), "count");
  }

  saveLatches(session: string, latches: JsonObject, at: string): void {
    const text = boundedJson(latches, brainLimits.latchesBytes, "the latches");
    this.#touch(session, at);
    this.#database.run("update session set latches = ? where id = ?", text, session);
  }

  latches(session: string): JsonObject | undefined {
    const row = this.#database.get("select latches from session where id = ?", session);
    const text = row && textIfAny(row, "latches");
    return text === undefined ? undefined : JSON.parse(text);
  }
}

/** Names one state of a memory. */
export function knownAs({ key, version }: { key: string; version: number }): string {
  return `${version} ${key}`;
}

function snapshotIn(row: SqlRow): Snapshot {
  return {
    session: columnText(row, "id"),
    cli: columnText(row, "cli"),
    content: JSON.parse(columnText(row, "content")),
    at: columnText(row, "saved"),
  };
}

function injectionOf(row: SqlRow): PastInjection {
  const stored = columnText(row, "reason");
  const reason = reasons.find((it) => it === stored);
  if (reason === undefined) throw new TypeError(`${stored} is no reason for an injection`);
  return {
    reason,
    subject: columnText(row, "subject"),
    version: columnNumber(row, "version"),
    score: numberIfAny(row, "score"),
    characters: columnNumber(row, "characters"),
    session: columnText(row, "session"),
    epoch: columnNumber(row, "epoch"),
    at: columnText(row, "at"),
  };
}
