import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { draft } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const id = "stores";
const who = ["--participant", "claude", "--participant", "gemini"];
const opening = ["--topic", "Which store?", "--session", id, ...who];
const hour = 3_600_000;
const question = draft("REQUEST", "Files or SQLite?", { position: undefined });
const answer = draft("RESPONSE", "Files.", { position: "files" });

/** A clock for processes, ahead by what its file says: read again at each look. */
class FakeClock {
  readonly #folder = makeScratchFolder();
  readonly #ahead = join(this.#folder, "ahead");
  readonly #program = join(this.#folder, "clock.cjs");

  constructor() {
    mkdirSync(this.#folder, { recursive: true });
    this.set(0);
    const lines = [
      `const { readFileSync } = require("node:fs");`,
      "const RealDate = Date;",
      `const now = () => RealDate.now() + Number(readFileSync(${JSON.stringify(this.#ahead)}, "utf8"));`,
      "globalThis.Date = class extends RealDate {",
      "  constructor(...all) { if (all.length === 0) super(now()); else super(...all); }",
      "  static now() { return now(); }",
      "};",
    ];
    writeFileSync(this.#program, `${lines.join("\n")}\n`);
  }

  get environment(): Record<string, string> {
    return { NODE_OPTIONS: `--require ${this.#program}` };
  }

  set(milliseconds: number): void {
    writeFileSync(this.#ahead, String(milliseconds));
  }
}

/** A laptop is closed while its agent waits, and opened an hour later: the peer has spoken meanwhile. */
async function sleepAnHour(ana: Laptop, bo: Laptop, store: string): Promise<void> {
  ana.done("init", [...opening, "--store", store]);
  bo.done("join", [id, "--store", store]);
  const clock = new FakeClock();
  const wait = ["--session", id, "--participant", "gemini", "--timeout", "0"];
  const waiting = bo.begin("wait-for-turn", wait, "", clock.environment);
  // It looks, and listens, before it sleeps.
  await sleep(3_000);
  waiting.child.kill("SIGSTOP");
  ana.say(id, "claude", question);
  await sleep(4_000);
  clock.set(hour);
  waiting.child.kill("SIGCONT");
  const { code, stdout, stderr } = await waiting.done;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Files or SQLite\?/);
  const append = ["--session", id, "--participant", "gemini", "--message", "-"];
  const sent = await bo.begin("append-event", append, JSON.stringify(answer), clock.environment)
    .done;
  assert.equal(sent.code, 0, sent.stderr);
  assert.match(ana.next(id, "claude").stdout, /Files\./);
  for (const at of [ana, bo]) assert.equal(at.run("validate", ["--session", id]).code, 0);
}

describe("a laptop that sleeps an hour goes on", { timeout: 240_000 }, () => {
  it("with a session on a git remote", async () => {
    const host = makeBareRepository();
    await sleepAnHour(new Laptop(host), new Laptop(host), "git");
  });

  it("with one on a cluster, whose token and lease have ended meanwhile", {
    skip: noEtcd,
  }, async () => {
    const cluster = await EtcdCluster.start({ arguments: ["--auth-token-ttl", "2"] });
    try {
      cluster.authenticate("ana", "bo");
      const host = makeBareRepository();
      const [ana, bo] = [new Laptop(host), new Laptop(host)];
      for (const [at, user] of [
        [ana, "ana"],
        [bo, "bo"],
      ] as const) {
        const { endpoints } = cluster;
        nameCluster(at.home, { endpoints, user, password: `${user}-secret` });
      }
      await sleepAnHour(ana, bo, "etcd:team");
    } finally {
      await cluster.stop();
    }
  });
});

describe("a laptop whose clock is a day off", { timeout: 240_000 }, () => {
  const host = makeBareRepository();
  let cluster: EtcdCluster | undefined;
  before(async () => {
    cluster = noEtcd === false ? await EtcdCluster.start() : undefined;
  });
  after(() => cluster?.stop());

  for (const [how, ahead] of [
    ["ahead", 24 * hour],
    ["behind", -24 * hour],
  ] as const) {
    /** Two machines, and what runs on the one whose clock is off. */
    function laptops() {
      const [ana, bo] = [new Laptop(host), new Laptop(host)];
      if (cluster !== undefined)
        for (const at of [ana, bo]) nameCluster(at.home, { endpoints: cluster.endpoints });
      const clock = new FakeClock();
      clock.set(ahead);
      const off = async (script: string, words: string[], input = "") => {
        const ran = await bo.begin(script, words, input, clock.environment).done;
        assert.equal(ran.code, 0, ran.stderr);
        return ran.stdout;
      };
      return { ana, bo, off };
    }

    /** The days of a log's events lie as far apart as the clocks. */
    function checkClocks(log: string): void {
      const days = log.match(/"at":"\d{4}-\d\d-\d\d/g);
      // An event is never older than the one before it, so that of a clock that is behind shows nothing.
      assert(new Set(days).size > 1 || ahead < 0, "its clock was off");
    }

    for (const [store, skip] of [
      ["git", false],
      ["etcd:team", noEtcd],
    ] as const)
      it(`takes part in a dialogue on ${store}, ${how} of its peer`, { skip }, async () => {
        const { ana, bo, off } = laptops();
        const talk = `${id}-${how}`;
        const here = ["--session", talk];
        const gemini = [...here, "--participant", "gemini"];
        ana.done("init", ["--topic", "Which store?", ...here, ...who, "--store", store]);
        await off("join", [talk, "--store", store]);
        ana.say(talk, "claude", question);
        assert.match(await off("next-action", gemini), /Files or SQLite\?/);
        await off("append-event", [...gemini, "--message", "-"], JSON.stringify(answer));
        const shown = ana.next(talk, "claude");
        assert.match(shown.stdout, /Files\./);
        assert.doesNotMatch(shown.stdout, /vanished|OVERDUE|silent/i);
        ana.say(talk, "claude", draft("AGREE", "Files it is."));
        assert.match(await off("wait-for-turn", [...gemini, "--timeout", "20"]), /Files it is\./);
        assert.match(ana.done("validate", here), /^validation passed/);
        assert.equal(ana.log(talk), bo.log(talk));
        checkClocks(ana.log(talk));
      });

    it(`fills a board, ${how} of its peer`, async () => {
      const { ana, bo, off } = laptops();
      const board = `.consulta/sessions/causes-${how}`;
      ana.done("init", [board, "2", "600", "--store", "git"]);
      await off("join", [`causes-${how}`]);
      ana.done("register", [board, "ana"]);
      await off("register", [board, "bo"]);
      ana.done(
        "post",
        [board, "ana", "cache", "--file", "-"],
        reportText({ summary: "The cache." }),
      );
      await off(
        "post",
        [board, "bo", "clock", "--file", "-"],
        reportText({ summary: "The clock." }),
      );
      ana.done("ready", [board, "ana"]);
      await off("ready", [board, "bo"]);
      assert.match(ana.done("poll", [board, "ana"]), /^all-ready \(2\/2 agents\)/);
      assert.match(await off("poll", [board, "bo"]), /^all-ready \(2\/2 agents\)/);
      assert.match(ana.done("read-all", [board, "ana"]), /The clock\./);
      assert.match(await off("read-all", [board, "bo"]), /The cache\./);
      assert.equal(ana.log(`causes-${how}`), bo.log(`causes-${how}`));
      checkClocks(ana.log(`causes-${how}`));
    });
  }
});
