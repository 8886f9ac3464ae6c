import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventKey } from "../../scripts-src/remote/etcd/etcd-keys.ts";
import { draft, isOneLine } from "../dialogue/project.ts";
import { EtcdCluster, nameCluster, noEtcd, type UserSettings } from "./etcd-cluster.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop, runUntilReached } from "./laptop.ts";

const id = "stores";
const who = ["--participant", "claude", "--participant", "gemini"];
const opening = ["--topic", "Which store?", "--session", id, ...who];
const open = { position: undefined };

type Settings = Omit<UserSettings, "endpoints"> & Partial<UserSettings>;

describe("machines on a cluster of three with TLS and users", { skip: noEtcd }, () => {
  let cluster: EtcdCluster;
  let ana: Laptop;
  let bo: Laptop;
  const settle = (at: Laptop, settings: Settings) =>
    nameCluster(at.home, { endpoints: cluster.endpoints, ...settings });
  const as = (user: string) => ({ user, password: `${user}-secret`, ca: cluster.ca });

  before(async () => {
    cluster = await EtcdCluster.start({ members: 3, tls: true });
    cluster.authenticate("ana", "bo");
    const host = makeBareRepository();
    ana = new Laptop(host);
    bo = new Laptop(host);
    settle(ana, as("ana"));
    settle(bo, as("bo"));
  });
  after(() => cluster.stop());

  it("share a dialogue: begun, joined, waited for, answered, proved", async () => {
    const printed = ana.done("init", [...opening, "--store", "etcd:team"]);
    assert.match(printed, /\nnode \S+join\.cjs stores --store etcd:team\n$/);
    const joined = bo.done("join", [id, "--participant", "gemini", "--store", "etcd:team"]);
    assert.match(joined, /^joined: session stores, 1 event, about "Which store\?"\n/);
    const times = ["--session", id, "--participant", "gemini", "--timeout", "50"];
    const waiting = bo.begin("wait-for-turn", times);
    ana.say(id, "claude", draft("REQUEST", "Files or SQLite for the settings?", open));
    const { code, stdout, stderr } = await waiting.done;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Files or SQLite for the settings\?/);
    bo.say(id, "gemini", draft("RESPONSE", "Files, they can be read.", { position: "files" }));
    const shown = ana.done("next-action", ["--session", id, "--participant", "claude"]);
    assert.match(shown, /Files, they can be read\./);
    for (const at of [ana, bo])
      assert.match(at.done("validate", ["--session", id]), /^validation passed/);
    assert.equal(ana.log(id), bo.log(id));
  });

  it("know who waits on another machine, and that it no longer does", async () => {
    // The first has the turn.
    const names = ["owner", "first", "second"];
    ana.done("init", [
      ...["--objective", "Who waits?", "--completion", "It is known", "--session", "waits"],
      ...["--store", "etcd:team", ...names.flatMap((it) => ["--participant", it])],
    ]);
    bo.done("join", ["waits", "--store", "etcd:team"]);
    const [here, there] = names
      .slice(1)
      .map((name, index) =>
        (index === 0 ? ana : bo).begin("wait-for-turn", [
          ...["--session", "waits", "--participant", name, "--timeout", "60"],
        ]),
      );
    const shown = () => ana.done("status", ["--session", "waits"]);
    const until = async (said: RegExp) => {
      for (let tries = 0; tries < 100; tries += 1) {
        if (said.test(shown())) return;
        await sleep(200);
      }
      assert.match(shown(), said);
    };
    await until(/second: waiting, heartbeat/);
    there?.child.kill("SIGTERM");
    await there?.done;
    await until(/second: (?!waiting)/);
    here?.child.kill("SIGTERM");
    await here?.done;
  });

  it("hear of sessions that they have not joined", () => {
    ana.done("init", [
      ...opening.slice(0, 2),
      "--session",
      "second",
      ...who,
      "--store",
      "etcd:team",
    ]);
    const there = bo.done("status", ["--store", "etcd:team"]);
    assert.match(there, /join\.cjs second --store etcd:team/);
    assert.doesNotMatch(there, /join\.cjs stores/);
    const twice = bo.run("init", [
      ...opening.slice(0, 2),
      "--session",
      "second",
      ...who,
      "--store",
      "etcd:team",
    ]);
    assert.match(
      twice.stderr,
      /^error: session second is on team already; join it with join second/,
    );
    const none = bo.run("join", ["third", "--store", "etcd:team"]);
    assert.match(none.stderr, /^error: no session third on team; there are: second, stores/);
  });

  it("stop at what no script wrote; report and status read on what is here", () => {
    const at = ["--session", "bad"];
    bo.done("init", [...["--topic", "Bad?", ...at], ...who, "--store", "etcd:team"]);
    const put = ["put", eventKey("bad", 2), "nonsense"];
    cluster.etcdctl("--user", "root:root-secret", ...put);
    const said =
      /event 2 of session bad on team .*no script of Consulta wrote it, so nothing from there on/;
    const next = bo.run("next-action", [...at, "--participant", "claude"]);
    assert.deepEqual([next.code, isOneLine(next.stderr)], [2, true], next.stderr);
    assert.match(next.stderr, said);
    for (const script of ["report", "status"]) {
      const { code, stderr } = bo.run(script, at);
      assert.deepEqual([code, said.test(stderr)], [0, true], stderr);
      assert.match(stderr, /^note: /m);
    }
  });

  it("stop at rewritten history, also report and status", () => {
    const laptop = new Laptop(makeBareRepository());
    settle(laptop, as("ana"));
    const at = ["--session", "redone"];
    laptop.done("init", [...["--topic", "Redone?", ...at], ...who, "--store", "etcd:team"]);
    cluster.etcdctl("--user", "root:root-secret", "put", eventKey("redone", 1), "nonsense");
    for (const script of ["report", "status", "validate"]) {
      const { code, stdout, stderr } = laptop.run(script, at);
      assert.equal(code, 2, stdout + stderr);
      assert.match(stdout + stderr, /history was rewritten: of session redone on team, event 1/);
    }
  });

  it("go on while a member is gone", async () => {
    await cluster.killMember(cluster.endpoints.length - 1);
    ana.done("next-action", ["--session", id, "--participant", "claude"]);
    const { code, stderr } = ana.run("status", ["--store", "etcd:team"]);
    assert.equal(code, 0, stderr);
    cluster.startMember(cluster.endpoints.length - 1);
  });

  const faults: [what: string, settings: () => Settings, code: number, why: RegExp][] = [
    [
      "a wrong password",
      () => ({ ...as("ana"), password: "guessed" }),
      2,
      /^error: team does not let you \(.*authentication failed.*as ana\): check stores\.team in/,
    ],
    [
      "a user without the right",
      () => as("eve"),
      2,
      /^error: team does not let you \(.*permission denied.*as eve\)/,
    ],
    [
      "nobody signed in",
      () => ({ ca: cluster.ca }),
      2,
      /^error: team does not let you \(.*user name is empty.*nobody is signed in\)/,
    ],
    [
      "a CA that nobody named",
      () => ({ user: "ana", password: "ana-secret" }),
      2,
      /^error: the certificate of https:\S+ is not trusted \(\w+\): name the file of who signed it as ca/,
    ],
    [
      "no member that answers",
      () => ({ ...as("ana"), endpoints: ["https://127.0.0.1:9"] }),
      4,
      /^error: team is out of reach \(ECONNREFUSED\); run the same command again/,
    ],
    [
      "an address without TLS",
      () => ({ ...as("ana"), endpoints: ["http://etcd.example.org:2379"] }),
      2,
      /expected such as https:\/\/HOST:2379; http for this machine only/,
    ],
  ];
  for (const [what, settings, code, why] of faults) {
    it(`says in one line that there is ${what}, and stores nothing`, () => {
      const at = new Laptop(makeBareRepository());
      settle(at, settings());
      const ran = at.run("init", [...opening, "--store", "etcd:team"]);
      assert.match(ran.stderr, why);
      assert.equal(ran.stderr.trim().split("\n").length, 1, ran.stderr);
      assert.equal(ran.code, code);
      assert(!ran.stderr.includes("guessed") && !ran.stderr.includes("-secret"));
      assert(!existsSync(at.path("sessions", id)), "nothing began");
    });

    it(`says so, with ${what}, of a session that is here, and reads on`, () => {
      settle(bo, settings());
      try {
        for (const script of ["report", "status"]) {
          const { code, stderr } = bo.run(script, ["--session", id]);
          assert.equal(code, 0, stderr);
          assert.match(stderr, new RegExp(why.source.replace("error: ", "note: "), "m"));
        }
        const next = bo.run("next-action", ["--session", id, "--participant", "gemini"]);
        // Out of reach is no reason to stand still; what the user must set right is.
        assert.deepEqual(
          [next.code, isOneLine(next.stderr)],
          [code === 4 ? 0 : code, true],
          next.stderr,
        );
      } finally {
        settle(bo, as("bo"));
      }
    });
  }

  it("keeps what is said without a cluster, and sends it by the same line", async () => {
    for (const index of [0, 1, 2]) await cluster.killMember(index);
    const words = ["--session", id, "--participant", "claude", "--message", "-"];
    const text = JSON.stringify(draft("RESPONSE", "Files it is.", { position: "files" }));
    const lost = ana.run("append-event", words, text);
    assert.equal(lost.code, 4, lost.stderr);
    assert.match(lost.stderr, /team is out of reach/);
    assert.match(ana.done("status", ["--session", id]), /stores: dialogue/);
    const from = performance.now();
    const wait = ["--session", id, "--participant", "gemini", "--timeout", "2"];
    assert.equal(bo.run("wait-for-turn", wait).code, 1);
    assert(performance.now() - from < 6_000, "it goes when its time is up");
    for (const index of [0, 1, 2]) cluster.startMember(index);
    const sent = await runUntilReached(() => ana.run("append-event", words, text));
    assert.equal(sent.code, 0, sent.stderr);
  });
});
