/** What answers in place of etcd, late, wrong or never; and what is lost on the way from it. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EtcdClient } from "../../scripts-src/remote/etcd/etcd-client.ts";
import { appendAll, hasCode, makeEvent, readEvents } from "../log/check-event-log.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";
import { inEtcd, newMachineAt } from "./machine-at.ts";
import { checkFailed } from "./sent-once.ts";

type Answerer = (request: IncomingMessage, response: ServerResponse, asked: string) => unknown;

/** Runs some work with a server in the place of a member. */
async function withServer(answer: Answerer, work: (url: string) => unknown): Promise<void> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    await answer(request, response, Buffer.concat(parts).toString());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  try {
    await work(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** What a member answers. */
async function passOn({ url }: IncomingMessage, asked: string, { endpoints }: EtcdCluster) {
  const to = new URL(url ?? "/", endpoints[0]);
  return (await fetch(to, { method: "POST", body: asked })).text();
}

const range = { key: Buffer.from("consulta/x").toString("base64") };
const ask = (client: EtcdClient) => client.call("/v3/kv/range", range);
const header = { revision: "1" };

describe("what answers in place of etcd", () => {
  it("is out of reach where it says yes to everything, and no history is thought rewritten", () =>
    withServer(
      (_, response) => response.end("<html>sign in first"),
      async (url) => {
        const isNone = hasCode("UNAVAILABLE", /^team is out of reach \(it does not answer as etcd/);
        const log = newMachineAt(inEtcd([url], "talk")).open();
        await assert.rejects(log.fetch(), isNone);
        await assert.rejects(log.append(log.start, makeEvent(1)), isNone);
      },
    ));

  it("does not bring the password back to the screen", () =>
    withServer(
      (_, response, asked) => response.writeHead(400).end(`I was asked ${asked}`),
      async (url) => {
        for (const password of ["open-sesame", 'a"b\\c']) {
          const client = new EtcdClient({ name: "team", endpoints: [url], user: "ana", password });
          await assert.rejects(ask(client), ({ message }: Error) => {
            const written = JSON.stringify(password).slice(1, -1);
            assert.match(message, /I was asked/);
            return !message.includes(password) && !message.includes(written);
          });
        }
      },
    ));

  it("is refused in one line where its answer does not end", () =>
    withServer(
      (_, response) => response.end(Buffer.alloc(70_000_000, "a")),
      async (url) => {
        const log = newMachineAt(inEtcd([url], "talk")).open();
        await assert.rejects(log.fetch(), hasCode("REFUSED", /answered with more than \d+ bytes/));
      },
    ));

  it("is passed over by each client where it never does, and the last may be slow", async () => {
    let asked = 0;
    const silent: Answerer = () => {
      asked += 1;
    };
    const slow: Answerer = async (_, response) => {
      await sleep(4_000);
      response.end(JSON.stringify({ header, count: "1" }));
    };
    const timed = async (endpoints: string[], leastMs: number, withinMs: number) => {
      const from = performance.now();
      const client = new EtcdClient({ name: "team", endpoints });
      assert.equal((await ask(client))["count"], "1");
      const took = performance.now() - from;
      assert(took > leastMs && took < withinMs, `it took ${took} ms`);
    };
    await withServer(silent, (first) =>
      withServer(slow, async (second) => {
        await timed([first, second], 6_900, 9_500);
        await timed([first, second], 3_900, 6_500);
        assert.equal(asked, 1);
        // Of this one nobody knows yet that it is silent.
        const once = new EtcdClient({ name: "team", endpoints: [second, `${first}/`] });
        const answer = await once.call("/v3/kv/range", range, { isAskedOnce: true });
        assert.equal(answer["count"], "1");
      }),
    );
  });

  it("is passed over where a member has no vote yet", { skip: noEtcd }, async () => {
    const cluster = await EtcdCluster.start();
    try {
      const { endpoints } = cluster;
      const learner = await cluster.addLearner();
      const asked = async () =>
        (
          await fetch(`${learner}/v3/kv/range`, { method: "POST", body: JSON.stringify(range) })
        ).text();
      let said = "";
      for (let tries = 0; tries < 100 && !/learner/.test(said); tries += 1) {
        said = await asked().catch(String);
        await sleep(50);
      }
      assert.match(said, /rpc not supported for learner/);
      const log = newMachineAt(inEtcd([learner, ...endpoints], "talk")).open();
      await appendAll(log, [{}, {}]);
    } finally {
      await cluster.stop();
    }
  });
});

describe("a token that etcd does not take", () => {
  const refused = /^error: team does not let you \(etcdserver: invalid auth token; as ana\): check/;
  const none = /^error: no session talk on team; there is none at all\n/;
  type IsTaken = (token: number, call: number) => boolean;
  const cases: [name: string, isTaken: IsTaken, said: RegExp][] = [
    ["is replaced once where it is new", () => false, refused],
    ["is replaced where it is new by one that it takes", (token) => token === 2, none],
    ["is replaced once where it was taken before", (_, call) => call === 1, refused],
    ["is replaced by one that it takes", (token, call) => call === 1 || token === 2, none],
  ];
  for (const [name, isTaken, said] of cases)
    it(name, { timeout: 30_000 }, async () => {
      let [signIns, calls] = [0, 0];
      const member: Answerer = ({ url, headers }, response) => {
        const answer = (status: number, body: object) =>
          response.writeHead(status).end(JSON.stringify(body));
        if (url === "/v3/auth/authenticate") {
          signIns += 1;
          // Who never stops would hang the test.
          if (signIns > 5) return answer(400, { message: "signed in too often" });
          return answer(200, { header, token: String(signIns) });
        }
        calls += 1;
        if (isTaken(Number(headers.authorization), calls)) return answer(200, { header });
        return answer(401, { code: 16, message: "etcdserver: invalid auth token" });
      };
      await withServer(member, async (url) => {
        const at = new Laptop(makeBareRepository());
        nameCluster(at.home, { endpoints: [url], user: "ana", password: "open-sesame" });
        const ran = await at.begin("join", ["talk", "--store", "etcd:team"]).done;
        checkFailed(ran, { code: 2, said });
        assert(!existsSync(at.path("sessions", "talk")));
      });
      assert.equal(signIns, 2);
    });
});

describe("on the way from etcd", { skip: noEtcd, timeout: 120_000 }, () => {
  let cluster: EtcdCluster;
  before(async () => {
    cluster = await EtcdCluster.start();
  });
  after(() => cluster.stop());
  const direct = (session: string) => newMachineAt(inEtcd(cluster.endpoints, session)).open();

  for (const lost of [1, 3])
    it(`an event is known again when its answer was lost: ${lost}`, async () => {
      let [left, cuts] = [0, 0];
      const cutting: Answerer = async (request, response, asked) => {
        const text = await passOn(request, asked, cluster);
        if (request.url !== "/v3/kv/txn" || left === 0) return response.end(text);
        left -= 1;
        cuts += 1;
        return request.socket.destroy();
      };
      await withServer(cutting, async (url) => {
        const ana = newMachineAt(inEtcd([url], `lost-${lost}`)).open();
        const cursor = await appendAll(ana, [{}]);
        left = lost;
        assert.equal((await ana.append(cursor, makeEvent(2)))?.seq, 2);
        assert.equal(cuts, 1, "the second try finds what the first one stored");
        const bo = direct(`lost-${lost}`);
        await bo.fetch();
        assert.deepEqual(await readEvents(bo), await readEvents(ana));
      });
    });

  /** What a watch does in place of telling of changes, while somebody waits behind it. */
  const waits = (
    session: string,
    watch: (request: IncomingMessage, response: ServerResponse) => unknown,
    work: (counts: { watches: number; asked: number }, append: () => Promise<void>) => unknown,
  ) => {
    const counts = { watches: 0, asked: 0 };
    const proxy: Answerer = async (request, response, asked) => {
      counts.asked += 1;
      if (request.url !== "/v3/watch") return response.end(await passOn(request, asked, cluster));
      counts.watches += 1;
      return watch(request, response);
    };
    return withServer(proxy, async (url) => {
      const [ana, bo] = [direct(session), newMachineAt(inEtcd([url], session)).open()];
      let cursor = await appendAll(ana, [{}]);
      await bo.fetch();
      const stop = await bo.follow({ onFault: () => undefined });
      try {
        await work(counts, async () => {
          cursor = (await ana.append(cursor, makeEvent(cursor.seq + 1))) ?? assert.fail();
          const from = performance.now();
          while ((await bo.at(cursor.seq)) === undefined) {
            assert(performance.now() - from < 4_000, "not heard");
            await sleep(20);
          }
        });
      } finally {
        const late = AbortSignal.timeout(3_000);
        await Promise.race([stop(), once(late, "abort")]);
        assert(!late.aborted, "the wait did not end");
      }
    });
  };

  for (const [what, watch] of [
    ["is silent", () => undefined],
    ["is refused", (request: IncomingMessage) => request.socket.destroy()],
  ] as const)
    it(`who waits looks all the same where its watch ${what}, and ends when told to`, () =>
      waits(what.slice(3), watch, async (_, append) => {
        await sleep(300);
        for (let time = 0; time < 2; time += 1) await append();
      }));

  it("who waits watches anew where its watch was canceled, which the gateway says with 200 and an open answer", () => {
    const canceled = (_: IncomingMessage, response: ServerResponse) => {
      const reason = "rpc error: code = Unauthenticated desc = etcdserver: invalid auth token";
      const result = { watch_id: "-1", created: true, canceled: true, cancel_reason: reason };
      response.write(`${JSON.stringify({ result })}\n`);
    };
    return waits("canceled", canceled, async (counts) => {
      const from = performance.now();
      while (counts.watches < 2) {
        assert(performance.now() - from < 6_000, "it did not watch again");
        await sleep(50);
      }
    });
  });

  it("who waits does not ask without a pause where each watch ends at once", () => {
    const ended = (_: IncomingMessage, response: ServerResponse) =>
      response.end('{"result":{"created":true}}\n');
    return waits("ended", ended, async (counts) => {
      Object.assign(counts, { watches: 0, asked: 0 });
      const from = performance.now();
      await sleep(6_000);
      // Looks are 1.6 s apart at least, each with a watch; when that begins, one look more is taken. A look
      // is two calls.
      const looks = 1 + Math.floor((performance.now() - from) / 1_600);
      const { watches, asked } = counts;
      assert(watches >= 1 && watches <= looks, `${watches} watches in ${looks} looks`);
      assert(asked <= 5 * looks, `${asked} calls in ${looks} looks`);
    });
  });
});
