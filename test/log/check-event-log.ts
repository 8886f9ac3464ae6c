import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { limits } from "../../scripts-src/base/limits.ts";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import type { Cursor, EventLog } from "../../scripts-src/log/event-log.ts";

/** A log under test; `other` gives a second writer's view of the same log. */
export interface OpenLog {
  readonly log: EventLog;
  readonly other: () => EventLog;
  readonly close: () => void;
}

export function makeEvent(seq: number, fields: JsonObject = {}): LogEvent {
  return {
    seq,
    id: `e-${seq}-${Math.random().toString(36).slice(2)}`,
    from: "ana",
    event: "message",
    at: "2026-01-01T00:00:00.000Z",
    summary: `event ${seq}`,
    ...fields,
  };
}

/** Appends one event for each set of fields; gives the place after the last. */
export async function appendAll(
  log: EventLog,
  fields: JsonObject[],
  after: Cursor = log.start,
): Promise<Cursor> {
  let cursor = after;
  for (const field of fields) {
    const next = await log.append(cursor, makeEvent(cursor.seq + 1, field));
    assert(next);
    cursor = next;
  }
  return cursor;
}

/** The events as they were given: without what chains each to the line before it. */
export async function readEvents(log: EventLog, after: Cursor = log.start): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  for (let cursor = after; ; ) {
    const page = await log.read(cursor);
    events.push(...page.events.map(withoutPrev));
    if (!page.more) return events;
    cursor = page.cursor;
  }
}

export function withoutPrev({ prev: _, ...event }: LogEvent): LogEvent {
  return event;
}

export function hasCode(code: ConsultaError["code"], message = /./) {
  return (error: unknown) => {
    assert(error instanceof ConsultaError, `not a ConsultaError: ${error}`);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert(!error.message.includes("\n"), "one line");
    return true;
  };
}

/**
 * The promises of `EventLog`, which every store keeps; without those about texts where another test of this
 * store has them.
 */
export function checkEventLog(
  name: string,
  open: () => OpenLog,
  { hasTexts = true }: { hasTexts?: boolean } = {},
): void {
  describe(`${name} keeps the promises of an event log`, () => {
    let opened: OpenLog;
    beforeEach(() => {
      opened = open();
    });
    afterEach(() => opened.close());

    checkPlaces(() => opened);
    if (hasTexts) checkTexts(() => opened);
    checkCheckpoints(() => opened);
  });
}

function checkPlaces(opened: () => OpenLog): void {
  it("is empty before the first event", async () => {
    const { log } = opened();
    const page = await log.read(log.start);
    assert.deepEqual(page.events, []);
    assert.equal(page.cursor.seq, 0);
    assert.equal(page.more, false);
  });

  it("gives back what was appended, to every reader, from every place", async () => {
    const { log, other } = opened();
    const events = [makeEvent(1), makeEvent(2, { message: { list: [1, null] } }), makeEvent(3)];
    const cursors = [log.start];
    for (const event of events) {
      const next = await log.append(cursors.at(-1) ?? log.start, event);
      assert(next);
      assert.equal(next.seq, event.seq);
      cursors.push(next);
    }
    for (const [seq, cursor] of cursors.entries()) {
      assert.deepEqual(await readEvents(other(), cursor), events.slice(seq));
      assert.deepEqual(await log.before(seq + 1), seq < events.length ? cursor : undefined);
    }
    const page = await log.read(log.start);
    assert.deepEqual(page.cursor, cursors.at(-1));
  });

  it("tells the second writer of a place that it is taken", async () => {
    const { log, other } = opened();
    const first = makeEvent(1);
    assert(await log.append(log.start, first));
    assert.equal(await other().append(other().start, makeEvent(1)), undefined);
    assert.deepEqual(await readEvents(log), [first]);
  });

  it("tells so the second writer of an equal event", async () => {
    const { log, other } = opened();
    const event = makeEvent(1);
    assert(await log.append(log.start, event));
    assert.equal(await other().append(other().start, event), undefined);
    assert.deepEqual(await readEvents(log), [event]);
  });

  it("lets exactly one of many writers have each place", async () => {
    const { log, other } = opened();
    for (let seq = 1, cursor = log.start; seq <= 3; seq += 1) {
      const results = await Promise.all(
        [log, other(), other()].map((writer) => writer.append(cursor, makeEvent(seq))),
      );
      assert.equal(results.filter((result) => result !== undefined).length, 1);
      cursor = (await log.read(cursor)).cursor;
    }
    assert.equal((await readEvents(log)).length, 3);
  });

  it("goes on from a cursor that went through JSON", async () => {
    const { log, other } = opened();
    const cursor = JSON.parse(JSON.stringify(await appendAll(log, [{}, {}])));
    assert(await other().append(cursor, makeEvent(3)));
    assert.equal((await readEvents(log, cursor)).length, 1);
  });

  it("takes an event of another seq for a bug", async () => {
    const { log } = opened();
    await assert.rejects(log.append(log.start, makeEvent(2)), RangeError);
  });
}

function checkTexts(opened: () => OpenLog): void {
  it("does not change an event that is stored when the caller's object changes", async () => {
    const { log } = opened();
    const event = makeEvent(1, { message: { text: "before" } });
    await log.append(log.start, event);
    event.summary = "after";
    const [first] = await readEvents(log);
    assert.notEqual(first?.summary, "after");
    if (first) first.summary = "after";
    assert.notEqual((await readEvents(log))[0]?.summary, "after");
  });

  const contents: [name: string, text: string][] = [
    ["line separators", "a\u2028b\u2029c\u0085d\r\ne\nf\tg\u0000h"],
    ["emoji and composed characters", "👩‍👩‍👧‍👦 e\u0301 日本語 \ufeff"],
    ["lone surrogates", "\ud800 and \udfff"],
    ["markup", '"}\n{"seq":2} \\" </script>'],
    ["a message of the largest size", "x".repeat(limits.messageBytes)],
    ["a message of two-byte characters", "ж".repeat(limits.messageBytes / 2)],
  ];
  for (const [name, text] of contents) {
    it(`keeps ${name} as they are`, async () => {
      const { log, other } = opened();
      const events = [makeEvent(1, { text, [text.slice(0, 9)]: 1 }), makeEvent(2)];
      for (let cursor = log.start; cursor.seq < 2; cursor = (await log.read(cursor)).cursor) {
        assert(await log.append(cursor, events[cursor.seq] ?? makeEvent(0)));
      }
      assert.deepEqual(await readEvents(other()), events);
    });
  }

  it("gives a long log in pages of bounded size", async () => {
    const { log } = opened();
    const text = "x".repeat(1_000_000);
    await appendAll(log, Array(6).fill({ text }));
    let pages = 0;
    const seqs: number[] = [];
    for (let cursor = log.start, more = true; more; pages += 1) {
      const page = await log.read(cursor);
      assert(page.events.length <= 4, `${page.events.length} events in a page`);
      seqs.push(...page.events.map(({ seq }) => seq));
      ({ cursor, more } = page);
    }
    assert.deepEqual(seqs, [1, 2, 3, 4, 5, 6]);
    assert(pages >= 2);
  });

  it("refuses an event above the limit and stays as it was", async () => {
    const { log } = opened();
    const text = "x".repeat(limits.eventLineBytes);
    await assert.rejects(
      log.append(log.start, makeEvent(1, { text })),
      hasCode("REFUSED", /event 1 has \d+ bytes; the limit is 1310720: make its message shorter/),
    );
    assert.deepEqual(await readEvents(log), []);
    await appendAll(log, [{}]);
  });

  it("refuses an event that is nested too deeply", async () => {
    const { log } = opened();
    const message = JSON.parse("[".repeat(90_000) + "]".repeat(90_000));
    await assert.rejects(
      log.append(log.start, makeEvent(1, { message })),
      hasCode("REFUSED", /event 1 is nested deeper than \d+ levels/),
    );
  });

  it("stores a message that is nested as deeply as a message may be", async () => {
    const { log } = opened();
    const { depthLevels } = limits;
    const message = JSON.parse("[".repeat(depthLevels) + "]".repeat(depthLevels));
    await appendAll(log, [{ message }, { flat: Array(100).fill([]) }]);
    assert.equal((await readEvents(log)).length, 2);
  });
}

function checkCheckpoints(opened: () => OpenLog): void {
  it("has no checkpoint at first", async () => {
    assert.equal(await opened().log.loadCheckpoint(), undefined);
  });

  it("gives back the last checkpoint, and reading goes on behind it", async () => {
    const { log, other } = opened();
    const first = await appendAll(log, [{}, {}]);
    await log.saveCheckpoint({ cursor: first, value: { phase: "old" } });
    const cursor = await appendAll(log, [{}], first);
    const value = { phase: "open\u2028", list: [1, null, "👍"] };
    await log.saveCheckpoint({ cursor, value });
    await appendAll(log, [{}], cursor);
    const checkpoint = await other().loadCheckpoint();
    assert.deepEqual(checkpoint, { cursor, value });
    assert.deepEqual(
      (await readEvents(log, checkpoint.cursor)).map(({ seq }) => seq),
      [4],
    );
  });

  it("gives a checkpoint that is a plain value of its own", async () => {
    const { log } = opened();
    const cursor = await appendAll(log, [{}]);
    const value = { list: [1] };
    await log.saveCheckpoint({ cursor, value });
    value.list.push(2);
    assert.deepEqual((await log.loadCheckpoint())?.value, { list: [1] });
  });
}

export function makeSignal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
