import type { JsonValue } from "../../scripts-src/base/json.ts";
import { limits } from "../../scripts-src/base/limits.ts";
import { chainedLine } from "../../scripts-src/log/chain.ts";
import type { ChainCheck } from "../../scripts-src/log/check-chain.ts";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import type { Checkpoint, Cursor, EventLog, Page } from "../../scripts-src/log/event-log.ts";

/** A log that lives as long as its process, for tests. */
export class MemoryEventLog implements EventLog {
  readonly start: Cursor = { seq: 0, mark: null };
  /** Stored as text, so that nobody changes an event that is stored. */
  readonly #lines: string[] = [];
  readonly #watchers = new Set<() => void>();
  #checkpoint: string | undefined;

  async read(after: Cursor): Promise<Page> {
    const events: LogEvent[] = [];
    let characters = 0;
    for (const line of this.#lines.slice(after.seq)) {
      characters += line.length;
      if (events.length > 0 && characters > limits.pageBytes) break;
      events.push(JSON.parse(line));
    }
    const seq = after.seq + events.length;
    return { events, faults: [], cursor: { seq, mark: null }, more: seq < this.#lines.length };
  }

  async damage(): Promise<string[]> {
    return [];
  }

  async chain(): Promise<ChainCheck> {
    return { links: this.#lines.length, unchained: [], changed: [] };
  }

  async at(seq: number): Promise<LogEvent | undefined> {
    const line = this.#lines[seq - 1];
    return line === undefined ? undefined : JSON.parse(line);
  }

  async before(seq: number): Promise<Cursor | undefined> {
    return seq >= 1 && seq <= this.#lines.length ? { seq: seq - 1, mark: null } : undefined;
  }

  async append(after: Cursor, event: LogEvent): Promise<Cursor | undefined> {
    if (event.seq !== after.seq + 1) {
      throw new RangeError(`event ${event.seq} cannot follow event ${after.seq}`);
    }
    const before = this.#lines.at(-1);
    const line = chainedLine(event, before === undefined ? undefined : Buffer.from(before));
    if (this.#lines.length !== after.seq) return undefined;
    this.#lines.push(line);
    for (const onChange of this.#watchers) queueMicrotask(onChange);
    return { seq: event.seq, mark: null };
  }

  async differences(): Promise<string[]> {
    return [];
  }

  /** Nothing comes from elsewhere. */
  async fetch(): Promise<boolean> {
    return false;
  }

  async follow(): Promise<() => Promise<void>> {
    return async () => undefined;
  }

  async loadCheckpoint(): Promise<Checkpoint | undefined> {
    if (this.#checkpoint === undefined) return undefined;
    const { seq, value }: { seq: number; value: JsonValue } = JSON.parse(this.#checkpoint);
    return { cursor: { seq, mark: null }, value };
  }

  async saveCheckpoint({ cursor, value }: Checkpoint): Promise<void> {
    if (cursor.seq > this.#lines.length) return;
    this.#checkpoint = JSON.stringify({ seq: cursor.seq, value });
  }

  async watch(onChange: () => void): Promise<() => Promise<void>> {
    // A function of its own: the same callback may watch twice.
    const watcher = () => onChange();
    this.#watchers.add(watcher);
    return async () => {
      this.#watchers.delete(watcher);
    };
  }
}
