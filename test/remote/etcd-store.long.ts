import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chainedLine } from "../../scripts-src/log/chain.ts";
import type { EventDocument } from "../../scripts-src/log/event-log.ts";
import { eventKey } from "../../scripts-src/remote/etcd/stored-forms.ts";
import { appendAll, hasCode, makeEvent } from "../log/check-event-log.ts";
import { checkRemoteLog } from "./check-remote-log.ts";
import { EtcdCluster, noEtcd } from "./etcd-cluster.ts";
import { inEtcd, newMachineAt, type SharedMachine } from "./machine-at.ts";

/** Passes everything on; once `cut` was called, the answers of the next transactions are lost. */
async function cuttingProxy(target: string, lost: number) {
  let [left, count] = [0, 0];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const answer = await fetch(new URL(request.url ?? "/", target), { method: "POST", body });
    const text = await answer.text();
    if (request.url === "/v3/kv/txn" && left > 0) {
      left -= 1;
      count += 1;
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(text);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const cut = () => {
    left = lost;
  };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, cut, cuts: () => count, close };
}

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
    it("knows its event again when the answer was lost, once or at each try", async () => {
      for (const lost of [1, 3]) {
        const session = newSession();
        const way = await cuttingProxy(cluster.endpoints[0] ?? "", lost);
        const ana = newMachineAt(inEtcd([way.url], session));
        const cursor = await appendAll(ana.open(), [{}]);
        const log = ana.open();
        way.cut();
        assert.equal((await log.append(cursor, makeEvent(2)))?.seq, 2);
        assert.equal(way.cuts(), 1, "the second try finds what the first one stored");
        way.close();
        const bo = newMachineAt(inEtcd(cluster.endpoints, session));
        await bo.open().fetch();
        assert.equal(lines(bo), lines(ana));
      }
    });

    it("carries documents, a large one in parts, and what is gone", async () => {
      const [ana, bo, session] = pair();
      const large = Buffer.alloc(900_000, "large ");
      const send = async (documents: EventDocument[], from = ana.open().start) => {
        const next = await ana.open().append(from, makeEvent(from.seq + 1), async () => documents);
        return next ?? assert.fail();
      };
      const text = (at: SharedMachine, name: string) => readFileSync(join(at.folder, name));
      writeFileSync(join(ana.folder, "proposal.md"), large);
      const first = await send([{ path: "proposal.md", bytes: large }]);
      await bo.open().fetch();
      assert(text(bo, "proposal.md").equals(large));
      const small = Buffer.from("small");
      const second = await send([{ path: "review.md", bytes: small }], first);
      await bo.open().fetch();
      assert.equal(text(bo, "review.md").toString(), "small");
      const third = await send([{ path: "proposal.md", bytes: null }], second);
      await bo.open().fetch();
      assert.throws(() => text(bo, "proposal.md"), /ENOENT/);
      await send([{ path: "review.md", bytes: small }], third);
      const last = cluster.etcdctl("get", "--print-value-only", eventKey(session, 4));
      assert.doesNotMatch(last, /review\.md/, "it has not changed");
    });

    it("reads no further than it has looked", async () => {
      const [ana, bo] = pair();
      const cursor = await appendAll(ana.open(), [{}]);
      await bo.open().fetch();
      await appendAll(ana.open(), [{}], cursor);
      assert.equal((await bo.store().linesAfter(0)).length, 1);
    });

    it("comes one by one where many at once are more than is read", async () => {
      const [ana, bo] = pair();
      await appendAll(ana.open(), Array(50).fill({ text: "x".repeat(1_100_000) }));
      await bo.open().fetch();
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

    const hostile: [what: string, value: (line: string) => string | Uint8Array, why: RegExp][] = [
      ["no JSON", () => "nonsense", /no script of Consulta wrote it/],
      ["no UTF-8", () => Buffer.of(0xff), /event 2 of .* is not UTF-8: no script of Consulta/],
      ["another seq", (line) => line.replace('"seq":2', '"seq":3'), /no script of Consulta/],
      [
        "another chain",
        (line) => line.replace(/"prev":"./, '"prev":"x'),
        /hash of the event before/,
      ],
      ["a list of documents that is none", (line) => `${line}\n[1]`, /no readable list/],
      [
        "a path that leads out",
        (line) => `${line}\n{"../x":"${"0".repeat(64)}.1"}`,
        /is no plain path/,
      ],
      [
        "the log as a document",
        (line) => `${line}\n{"events.jsonl":"${"0".repeat(64)}.1"}`,
        /is the log/,
      ],
      [
        "a document too large",
        (line) => `${line}\n{"a.md":"${"0".repeat(64)}.9999999"}`,
        /the limit is/,
      ],
    ];
    for (const [what, value, why] of hostile) {
      it(`takes nothing of ${what}`, async () => {
        const [ana, bo, session] = pair();
        await appendAll(ana.open(), [{}]);
        await bo.open().fetch();
        put(session, 2, value(chainedLine(makeEvent(2), Buffer.from(lines(ana).trim()))));
        await assert.rejects(bo.open().fetch(), hasCode("REFUSED", why));
        assert.equal(lines(bo), lines(ana));
      });
    }

    it("takes no document that is not what its event names", async () => {
      const [ana, bo, session] = pair();
      await appendAll(ana.open(), [{}]);
      const line = chainedLine(makeEvent(2), Buffer.from(lines(ana).trim()));
      put(session, 2, `${line}\n{"a.md":"${"0".repeat(64)}.5"}`);
      await assert.rejects(bo.open().fetch(), hasCode("REFUSED", /is not what its event names/));
    });

    it("hears at once of what comes, also after the member that told of it was gone", async () => {
      const own = await EtcdCluster.start();
      const place = inEtcd(own.endpoints, "heard");
      const [ana, bo] = [newMachineAt(place).open(), newMachineAt(place).open()];
      let cursor = await appendAll(ana, [{}]);
      await bo.fetch();
      const stop = await bo.watch(() => undefined);
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
