import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EtcdClient } from "../../scripts-src/remote/etcd/etcd-client.ts";
import { isOneLine } from "../dialogue/project.ts";
import { appendAll, hasCode, makeEvent } from "../log/check-event-log.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";
import { inEtcd, newMachineAt } from "./machine-at.ts";

const range = { key: Buffer.from("consulta/x").toString("base64") };
const ask = (client: EtcdClient) => client.call("/v3/kv/range", range);

interface Server {
  readonly url: string;
  close(): void;
}

async function serve(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

/** Runs some work with a server that gives one answer to everything. */
async function withAnswer(
  status: number,
  answer: (asked: string) => string | Buffer,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server = await serve(async (request, response) => {
    const asked = (await bodyOf(request)).toString();
    response.writeHead(status).end(answer(asked));
  });
  try {
    await work(server.url);
  } finally {
    server.close();
  }
}

describe("what answers in place of etcd", () => {
  it("is out of reach where it says yes to everything, and no history is thought rewritten", async () => {
    await withAnswer(
      200,
      () => "<html>sign in first",
      async (url) => {
        const isNone = hasCode("UNAVAILABLE", /^team is out of reach \(it does not answer as etcd/);
        await assert.rejects(ask(new EtcdClient({ name: "team", endpoints: [url] })), isNone);
        const log = newMachineAt(inEtcd([url], "talk")).open();
        await assert.rejects(log.fetch(), isNone);
        await assert.rejects(log.append(log.start, makeEvent(1)), isNone);
      },
    );
  });

  it("does not bring the password back to the screen", async () => {
    for (const password of ["open-sesame", 'a"b\\c'])
      await withAnswer(
        400,
        (asked) => `I was asked ${asked}`,
        async (url) => {
          const client = new EtcdClient({ name: "team", endpoints: [url], user: "ana", password });
          await assert.rejects(ask(client), (cause: Error) => {
            assert.match(cause.message, /I was asked/);
            const written = JSON.stringify(password).slice(1, -1);
            return !cause.message.includes(password) && !cause.message.includes(written);
          });
        },
      );
  });

  it("is refused in one line where its answer does not end", async () => {
    await withAnswer(
      200,
      () => Buffer.alloc(70_000_000, "a"),
      async (url) => {
        const log = newMachineAt(inEtcd([url], "talk")).open();
        await assert.rejects(log.fetch(), hasCode("REFUSED", /answered with more than \d+ bytes/));
      },
    );
  });
});

describe("a certificate of etcd", { skip: noEtcd }, () => {
  let cluster: EtcdCluster;
  before(async () => {
    cluster = await EtcdCluster.start({ tls: true });
  });
  after(() => cluster.stop());

  it("is verified also where the environment turns that off for Node", async () => {
    const variable = "NODE_TLS_REJECT_UNAUTHORIZED";
    process.env[variable] = "0";
    try {
      const client = new EtcdClient({ name: "team", endpoints: cluster.endpoints });
      await assert.rejects(ask(client), hasCode("REFUSED", /is not trusted .*as ca under/));
    } finally {
      delete process.env[variable];
    }
  });

  it("for another host is not blamed on who signed it", async () => {
    const endpoints = cluster.endpoints.map((it) => it.replace("127.0.0.1", "localhost"));
    const ca = readFileSync(cluster.ca, "utf8");
    const client = new EtcdClient({ name: "team", endpoints, ca });
    await assert.rejects(ask(client), (cause: Error) => {
      assert.match(cause.message, /is not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\): check/);
      return !cause.message.includes("as ca");
    });
  });
});

describe("a member that takes connections and does not answer", () => {
  it("is asked once by a process, whatever the number of its sessions", {
    skip: noEtcd,
    timeout: 120_000,
  }, async () => {
    const cluster = await EtcdCluster.start({ members: 3 });
    try {
      const at = new Laptop(makeBareRepository());
      nameCluster(at.home, { endpoints: cluster.endpoints });
      const who = ["--participant", "a", "--participant", "b", "--store", "etcd:team"];
      for (const id of ["one", "two", "three"])
        at.done("init", ["--topic", `Which ${id}?`, "--session", id, ...who]);
      cluster.pause(0);
      const from = performance.now();
      const { code, stdout, stderr } = await at.begin("status", []).done;
      assert.deepEqual([code, stderr], [0, ""]);
      for (const id of ["one", "two", "three"]) assert.match(stdout, new RegExp(`Which ${id}\\?`));
      assert.doesNotMatch(stdout, /out of reach/);
      const took = performance.now() - from;
      assert(took < 3_000 + 5_000, `it took ${took} ms`);
    } finally {
      cluster.resume(0);
      await cluster.stop();
    }
  });

  it("is passed over by each client, and the last member may be slow", async () => {
    let asked = 0;
    const silent = await serve(() => {
      asked += 1;
    });
    const slow = await serve(async (request, response) => {
      await bodyOf(request);
      await sleep(4_000);
      response.end(JSON.stringify({ header: { revision: "1" }, count: "1" }));
    });
    try {
      const address = { name: "team", endpoints: [silent.url, slow.url] };
      const timed = async (client: EtcdClient, leastMs: number, withinMs: number) => {
        const from = performance.now();
        assert.equal((await ask(client))["count"], "1");
        const took = performance.now() - from;
        assert(took > leastMs && took < withinMs, `it took ${took} ms`);
      };
      await timed(new EtcdClient(address), 6_900, 9_500);
      await timed(new EtcdClient(address), 3_900, 6_500);
      assert.equal(asked, 1);
      await timed(new EtcdClient({ name: "team", endpoints: [slow.url] }), 3_900, 6_500);
      // Of this one nobody knows yet that it is silent.
      const once = new EtcdClient({ name: "team", endpoints: [slow.url, `${silent.url}/`] });
      const answer = await once.call("/v3/kv/range", range, { isAskedOnce: true });
      assert.equal(answer["count"], "1");
    } finally {
      for (const server of [silent, slow]) server.close();
    }
  });
});

/** A member that signs in whom it is asked to, and takes no token but those that `isTaken` lets pass. */
async function withTokens(
  isTaken: (token: number, call: number) => boolean,
  work: (at: Laptop) => Promise<void>,
): Promise<number> {
  let [signIns, calls] = [0, 0];
  const server = await serve(async (request, response) => {
    await bodyOf(request);
    const answer = (status: number, body: object) =>
      response.writeHead(status).end(JSON.stringify(body));
    const header = { revision: "1" };
    if (request.url === "/v3/auth/authenticate") {
      signIns += 1;
      // Who never stops would hang the test.
      if (signIns > 5) return answer(400, { message: "signed in too often" });
      return answer(200, { header, token: String(signIns) });
    }
    calls += 1;
    if (isTaken(Number(request.headers.authorization), calls)) return answer(200, { header });
    return answer(401, { code: 16, message: "etcdserver: invalid auth token" });
  });
  try {
    const at = new Laptop(makeBareRepository());
    nameCluster(at.home, { endpoints: [server.url], user: "ana", password: "open-sesame" });
    await work(at);
    return signIns;
  } finally {
    server.close();
  }
}

describe("a token that etcd does not take", () => {
  const refused =
    /^error: team does not let you \(etcdserver: invalid auth token; as ana\): check stores\.team/;
  const cases: [
    name: string,
    isTaken: (token: number, call: number) => boolean,
    signIns: number,
    said: RegExp,
  ][] = [
    ["is replaced once where it is new", () => false, 2, refused],
    [
      "is replaced where it is new by one that it takes",
      (token) => token === 2,
      2,
      /^error: no session talk on team; there is none at all\n/,
    ],
    ["is replaced once where it was taken before", (_, call) => call === 1, 2, refused],
    [
      "is replaced by one that it takes",
      (token, call) => call === 1 || token === 2,
      2,
      /^error: no session talk on team; there is none at all\n/,
    ],
  ];
  for (const [name, isTaken, signIns, said] of cases) {
    it(name, { timeout: 30_000 }, async () => {
      const signedIn = await withTokens(isTaken, async (at) => {
        const { code, stdout, stderr } = await at.begin("join", ["talk", "--store", "etcd:team"])
          .done;
        assert.deepEqual([code, stdout, isOneLine(stderr)], [2, "", true], stderr);
        assert.match(stderr, said);
        assert(!existsSync(at.path("sessions", "talk")));
      });
      assert.equal(signedIn, signIns);
    });
  }
});

describe("who waits where etcd's watch does not work", { skip: noEtcd }, () => {
  let cluster: EtcdCluster;
  let proxy: Server;
  let mode: "silent" | "refused" | "ended" | "open" = "open";
  let watches = 0;
  let asked = 0;
  before(async () => {
    cluster = await EtcdCluster.start();
    proxy = await serve(async (request, response) => {
      const body = await bodyOf(request);
      asked += 1;
      if (request.url === "/v3/watch") {
        watches += 1;
        if (mode === "refused") request.socket.destroy();
        if (mode === "ended") response.end('{"result":{"created":true}}\n');
        if (mode !== "open") return;
      }
      const gone = new AbortController();
      response.on("close", () => gone.abort());
      const url = new URL(request.url ?? "/", cluster.endpoints[0]);
      try {
        const answer = await fetch(url, {
          method: "POST",
          body: new Uint8Array(body),
          signal: gone.signal,
        });
        response.writeHead(answer.status);
        for await (const part of answer.body ?? []) response.write(part);
        response.end();
      } catch {
        response.destroy();
      }
    });
  });
  after(async () => {
    proxy.close();
    await cluster.stop();
  });

  /** A machine that waits behind the proxy, and one that writes past it. */
  const wait = async (session: string) => {
    const ana = newMachineAt(inEtcd(cluster.endpoints, session)).open();
    const bo = newMachineAt(inEtcd([proxy.url], session)).open();
    let cursor = await appendAll(ana, [{}]);
    await bo.fetch();
    const heard = async (withinMs: number) => {
      cursor = (await ana.append(cursor, makeEvent(cursor.seq + 1))) ?? assert.fail();
      const from = performance.now();
      while ((await bo.at(cursor.seq)) === undefined) {
        assert(performance.now() - from < withinMs, `not heard within ${withinMs} ms`);
        await sleep(20);
      }
    };
    const stopWatching = await bo.watch(() => undefined);
    const stop = async () => {
      const late = AbortSignal.timeout(3_000);
      await Promise.race([stopWatching(), once(late, "abort")]);
      assert(!late.aborted, "the wait did not end");
    };
    return { heard, stop };
  };

  it("looks all the same, and ends when it is told to", { timeout: 60_000 }, async () => {
    for (const it of ["silent", "refused"] as const) {
      mode = it;
      const { heard, stop } = await wait(it);
      try {
        await sleep(300);
        for (let time = 0; time < 2; time += 1) await heard(4_000);
      } finally {
        await stop();
      }
    }
  });

  it("does not ask without a pause where each watch ends at once", {
    timeout: 60_000,
  }, async () => {
    mode = "ended";
    const { stop } = await wait("ended");
    try {
      [watches, asked] = [0, 0];
      const from = performance.now();
      await sleep(6_000);
      // Looks are 1.6 s apart at least, each with a watch; when that begins, one look more is taken. A look
      // is two calls.
      const looks = 1 + Math.floor((performance.now() - from) / 1_600);
      assert(watches >= 1 && watches <= looks, `${watches} watches in ${looks} looks`);
      assert(asked <= 5 * looks, `${asked} calls in ${looks} looks`);
    } finally {
      await stop();
    }
  });
});
