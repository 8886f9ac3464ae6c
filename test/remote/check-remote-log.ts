import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { chainedLine } from "../../scripts-src/log/log-line.ts";
import { remoteLimits } from "../../scripts-src/remote/limits.ts";
import { watchLog } from "../../scripts-src/session/waiting/follow.ts";
import {
  appendAll,
  checkEventLog,
  hasCode,
  makeEvent,
  makeSignal,
  readEvents,
} from "../log/check-event-log.ts";
import { fetching, newMachineAt, type SharedMachine } from "./machine-at.ts";

/** What a log over a store promises, whatever the store: every store runs this. `place` gives a new session. */
export function checkRemoteLog(name: string, place: () => string): void {
  const pair = (): [ana: SharedMachine, bo: SharedMachine] => {
    const at = place();
    return [newMachineAt(at), newMachineAt(at)];
  };
  const lines = ({ folder }: SharedMachine) => readFileSync(join(folder, "events.jsonl"), "utf8");
  const seqs = async (at: SharedMachine) => (await readEvents(at.open())).map(({ seq }) => seq);

  const ofOne = () => {
    const machine = newMachineAt(place());
    return { log: machine.open(), other: machine.open, close: () => undefined };
  };
  checkEventLog(`RemoteEventLog over ${name}, of one machine`, ofOne, { hasTexts: false });

  checkEventLog(`RemoteEventLog over ${name}, of two machines`, () => {
    const [one, two] = pair();
    return {
      log: fetching(one.open()),
      other: () => fetching(two.open(), one.open()),
      close: () => undefined,
    };
  });

  describe(`a session over ${name}`, () => {
    it("comes to another machine byte by byte, with one event as with many", async () => {
      const [ana, bo] = pair();
      const cursor = await appendAll(
        ana.open(),
        Array(remoteLimits.etcdEvents + 2).fill({ text: "a\u2028b" }),
      );
      await bo.open().fetch();
      assert.equal(lines(bo), lines(ana));
      await appendAll(ana.open(), [{}, {}], cursor);
      await bo.open().fetch();
      assert.equal(lines(bo), lines(ana));
      assert.deepEqual(await bo.open().differences(), []);
    });

    it("tells the machine that was slower, and brings it what came", async () => {
      const [ana, bo] = pair();
      await appendAll(ana.open(), [{}]);
      const log = bo.open();
      assert.equal(await log.append(log.start, makeEvent(1)), undefined);
      assert.equal(lines(bo), lines(ana));
      const cursor = (await log.read(log.start)).cursor;
      assert.equal((await log.append(cursor, makeEvent(2)))?.seq, 2);
    });

    it("goes on where a machine stopped before it copied what it had stored", async () => {
      const [ana] = pair();
      const cursor = await appendAll(ana.open(), [{}]);
      const line = chainedLine(makeEvent(2), Buffer.from(lines(ana).trim()));
      assert.equal(await ana.store().append(2, line, []), "stored");
      assert.deepEqual(await seqs(ana), [1]);
      assert.equal(await ana.open().append(cursor, makeEvent(2)), undefined);
      assert.deepEqual(await seqs(ana), [1, 2]);
    });

    it("sends no credential", async () => {
      const [ana, bo] = pair();
      const token = `ghp_${"a1B2".repeat(9)}`;
      const log = ana.open();
      const secret = hasCode("REFUSED", /holds a GitHub token.*nothing was sent/);
      await assert.rejects(log.append(log.start, makeEvent(1, { text: token })), secret);
      const carried = async () => [{ path: "proposal.md", bytes: Buffer.from(`take ${token}`) }];
      await assert.rejects(log.append(log.start, makeEvent(1), carried), secret);
      await bo.open().fetch();
      assert.deepEqual(await seqs(bo), []);
    });

    it("wakes all who wait on another machine", { timeout: 120_000 }, async () => {
      const [ana, bo] = pair();
      const cursor = await appendAll(ana.open(), [{}]);
      await bo.open().fetch();
      const [first, second] = [makeSignal(), makeSignal()];
      const watch = (onChange: () => void) => watchLog({ place: bo, log: bo.open() }, onChange);
      const stops = [await watch(first.resolve), await watch(second.resolve)];
      await appendAll(ana.open(), [{}], cursor);
      await Promise.all([first.promise, second.promise]);
      for (const stop of stops) await stop();
      assert.deepEqual(await seqs(bo), [1, 2]);
    });
  });

  describe(`the documents of a session over ${name}`, () => {
    const read = ({ folder }: SharedMachine, path = "proposal.md") =>
      readFileSync(join(folder, path), "utf8");
    const write = ({ folder }: SharedMachine, text: string) =>
      writeFileSync(join(folder, "proposal.md"), text);
    /** Appends an event with a document as it is in the folder, or gone from there. */
    const send = async (at: SharedMachine, path?: string) => {
      const log = at.open();
      await log.fetch();
      const { cursor } = await log.read(log.start);
      const carried = async () => {
        if (path === undefined) return [];
        const file = join(at.folder, path);
        return [{ path, bytes: existsSync(file) ? readFileSync(file) : null }];
      };
      assert(await log.append(cursor, makeEvent(cursor.seq + 1), carried));
    };
    const share = async (text = "first") => {
      const [ana, bo] = pair();
      write(ana, text);
      await send(ana, "proposal.md");
      await bo.open().fetch();
      assert.equal(read(bo), text);
      return [ana, bo] as const;
    };

    it("come with the event that is about them, however large, and go with one", async () => {
      const [ana, bo] = await share("large ".repeat(150_000));
      write(bo, "second");
      await send(bo, "proposal.md");
      await ana.open().fetch();
      assert.equal(read(ana), "second");
      assert.deepEqual([ana.kept, bo.kept], [[], []]);
      rmSync(join(ana.folder, "proposal.md"));
      await send(ana, "proposal.md");
      await bo.open().fetch();
      assert(!existsSync(join(bo.folder, "proposal.md")));
    });

    it("stay as they are edited here while events come that change nothing of them", async () => {
      const [ana, bo] = await share();
      write(bo, "a draft of bo");
      await send(ana);
      await bo.open().fetch();
      assert.equal(read(bo), "a draft of bo");
    });

    it("are kept beside where two changed one, and only there", async () => {
      const [ana, bo] = await share();
      rmSync(join(bo.home, "documents.json"));
      await bo.open().fetch();
      assert.deepEqual([read(bo), bo.kept], ["first", []]);
      write(ana, "by ana");
      write(bo, "by bo");
      await send(ana, "proposal.md");
      await bo.open().fetch();
      assert.equal(read(bo), "by ana");
      assert.equal(read(bo, bo.kept[0]), "by bo");
    });
  });
}
