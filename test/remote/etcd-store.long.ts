import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chainedLine } from "../../scripts-src/log/log-line.ts";
import { eventKey } from "../../scripts-src/remote/etcd/stored-forms.ts";
import { remoteLimits } from "../../scripts-src/remote/limits.ts";
import { appendAll, hasCode, makeEvent } from "../log/check-event-log.ts";
import { checkRemoteLog } from "./check-remote-log.ts";
import { EtcdCluster, noEtcd } from "./etcd-cluster.ts";
import { inEtcd, newMachineAt, type SharedMachine } from "./machine-at.ts";

let sessions = 0;

function newSession(): string {
  sessions += 1;
  return `talk-${sessions}`;
}

describe("over etcd", { skip: noEtcd }, () => {
  let cluster: EtcdCluster;
  before(async () => {
    cluster = await EtcdCluster.start();
  });
  after(() => cluster.stop());

  checkRemoteLog("etcd", () => inEtcd(cluster.endpoints, newSession()));

  const pair = (): [ana: SharedMachine, bo: SharedMachine, session: string] => {
    const session = newSession();
    const make = () => newMachineAt(inEtcd(cluster.endpoints, session));
    return [make(), make(), session];
  };
  const lines = ({ folder }: SharedMachine) => readFileSync(join(folder, "events.jsonl"), "utf8");
  const put = (session: string, seq: number, value: string | Uint8Array) =>
    cluster.etcdctlWith(value, "put", eventKey(session, seq));

  describe("a session in etcd", () => {
    it("reads no further than it has looked", async () => {
      const [ana, bo] = pair();
      const cursor = await appendAll(ana.open(), [{}]);
      await bo.open().fetch();
      await appendAll(ana.open(), [{}], cursor);
      assert.equal((await bo.store().linesAfter(0)).length, 1);
    });

    it("comes in parts where many at once are more than is read", async () => {
      const [ana, bo] = pair();
      await appendAll(ana.open(), Array(4).fill({ text: "x".repeat(1_100_000) }));
      const { outputBytes, etcdEvents } = remoteLimits;
      Object.assign(remoteLimits, { outputBytes: 4_000_000, etcdEvents: 2 });
      try {
        await bo.open().fetch();
      } finally {
        Object.assign(remoteLimits, { outputBytes, etcdEvents });
      }
      assert.equal(lines(bo), lines(ana));
    });

    it("stops where history was rewritten, cut, or is gone", async () => {
      const [ana, bo, session] = pair();
      await appendAll(ana.open(), [{}, {}]);
      await bo.open().fetch();
      const before = lines(bo);
      put(session, 2, chainedLine(makeEvent(2), Buffer.from(before.split("\n")[0] ?? "")));
      const stops = (why: RegExp) => assert.rejects(bo.open().fetch(), hasCode("REFUSED", why));
      await stops(/^history was rewritten: .*event 2 is not the one that was seen last/);
      put(session, 2, Buffer.of(0xff, 0xfe));
      await stops(/^history was rewritten: .*event 2 is not the one that was seen last/);
      cluster.etcdctl("del", eventKey(session, 2));
      await stops(/event 2, seen last, is gone/);
      const [, line = ""] = before.split("\n");
      assert.equal(await bo.store().append(2, line, []), "taken");
      assert.equal(cluster.etcdctl("get", eventKey(session, 2)), "", "it was put back");
      const gone = bo.store().linesAfter(0);
      await assert.rejects(gone, hasCode("REFUSED", /event 2 is gone/));
      const cursor = (await bo.open().read(bo.open().start)).cursor;
      const late = bo.open().append(cursor, makeEvent(3));
      await assert.rejects(late, hasCode("REFUSED", /history was rewritten/));
      assert.equal(lines(bo), before);
    });

    const document = (path: string, version: string) =>
      `{"${path}":"${"0".repeat(64)}.${version}"}`;
    const hostile: [what: string, value: (line: string) => string | Uint8Array, why: RegExp][] = [
      ["no JSON", () => "nonsense", /no script of Consulta wrote it/],
      ["no UTF-8", () => Buffer.of(0xff), /event 2 of .* is not UTF-8: no script of Consulta/],
      ["another seq", (it) => it.replace('"seq":2', '"seq":3'), /no script of Consulta/],
      ["another chain", (it) => it.replace(/"prev":"./, '"prev":"x'), /hash of the event before/],
      ["a list of documents that is none", (it) => `${it}\n[1]`, /no readable list/],
      ["a path that leads out", (it) => `${it}\n${document("../x", "1")}`, /is no plain path/],
      ["the log as one", (it) => `${it}\n${document("events.jsonl", "1")}`, /is the log/],
      ["one too large", (it) => `${it}\n${document("a.md", "9999999")}`, /the limit is/],
      ["one not there", (it) => `${it}\n${document("a.md", "5")}`, /is not what its event names/],
    ];
    for (const [what, value, why] of hostile)
      it(`takes nothing of ${what}`, async () => {
        const [ana, bo, session] = pair();
        await appendAll(ana.open(), [{}]);
        await bo.open().fetch();
        put(session, 2, value(chainedLine(makeEvent(2), Buffer.from(lines(ana).trim()))));
        await assert.rejects(bo.open().fetch(), hasCode("REFUSED", why));
        assert.equal(lines(bo), lines(ana));
      });

    it("hears at once of what comes, also after the member that told of it was gone", async () => {
      const own = await EtcdCluster.start();
      const place = inEtcd(own.endpoints, "heard");
      const [ana, bo] = [newMachineAt(place).open(), newMachineAt(place).open()];
      let cursor = await appendAll(ana, [{}]);
      await bo.fetch();
      const stop = await bo.follow({ onFault: () => undefined });
      const heard = async (withinMs: number) => {
        cursor = (await ana.append(cursor, makeEvent(cursor.seq + 1))) ?? assert.fail();
        const from = performance.now();
        while ((await bo.at(cursor.seq)) === undefined) {
          assert(performance.now() - from < withinMs, `not heard within ${withinMs} ms`);
          await sleep(20);
        }
      };
      try {
        await sleep(500);
        // Looks are 1.6 s apart at least: three in a row cannot be theirs.
        for (let time = 0; time < 3; time += 1) await heard(800);
        await own.killMember(0);
        own.startMember(0);
        await sleep(1_000);
        await heard(20_000);
        await sleep(500);
        for (let time = 0; time < 3; time += 1) await heard(800);
      } finally {
        await stop();
        await own.stop();
      }
    });
  });
});
