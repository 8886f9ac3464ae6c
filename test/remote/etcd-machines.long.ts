import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEvents, eventKey } from "../../scripts-src/remote/etcd/stored-forms.ts";
import { draft } from "../dialogue/project.ts";
import { EtcdCluster, nameCluster, noEtcd, type UserSettings } from "./etcd-cluster.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop, runPrinted, runUntilReached } from "./laptop.ts";
import { checkFailed, count } from "./sent-once.ts";

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

  const storedIn = (session: string) =>
    cluster.etcdctl(
      ...["--user", "root:root-secret", "get", "--print-value-only"],
      ...[eventKey(session, 1), afterEvents(session)],
    );

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
    const joined = runPrinted(bo, printed);
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

  it("stop at rewritten history whatever they do, and go on when it is put back", async () => {
    const host = makeBareRepository();
    const [here, there] = [new Laptop(host), new Laptop(host)];
    settle(here, as("ana"));
    settle(there, as("bo"));
    const [on, by] = [
      ["--session", "again"],
      ["--participant", "claude"],
    ];
    here.done("init", [...["--topic", "Again?", ...on], ...who, "--store", "etcd:team"]);
    there.done("join", ["again", "--store", "etcd:team"]);
    here.say("again", "claude", draft("REQUEST", "Files or SQLite?", open));
    assert.equal(there.next("again", "gemini").code, 0);
    here.done("status", on);
    const last = here.events("again").length;
    const asRoot = (...words: string[]) => cluster.etcdctl("--user", "root:root-secret", ...words);
    const get = (seq: number) => asRoot("get", "--print-value-only", eventKey("again", seq));
    const answer = JSON.stringify(draft("RESPONSE", "Files.", { position: "files" }));
    const append = [...on, "--participant", "gemini", "--message", "-"];
    const logs = () => [here.log("again"), there.log("again")];
    const before = logs();

    // What nobody has to read again is looked at by who proves the whole.
    const middle = get(last - 1).trimEnd();
    asRoot("put", eventKey("again", last - 1), middle.replace("claude", "gemini"));
    const proved = there.run("validate", on);
    assert.equal(proved.code, 2, proved.stdout);
    assert.match(proved.stdout + proved.stderr, /history was rewritten|is not what session again/);
    asRoot("put", eventKey("again", last - 1), middle);
    assert.match(there.done("validate", on), /^validation passed/);

    const value = get(last).trimEnd();
    const waiting = here.begin("wait-for-turn", [...on, ...by, "--timeout", "50"]);
    while (!existsSync(here.path("presence", "claude.ready"))) await sleep(50);
    asRoot("put", eventKey("again", last), "nonsense");
    const said = new RegExp(`history was rewritten: of session again on team, event ${last} `);
    for (const ran of [
      there.next("again", "gemini"),
      there.run("append-event", append, answer),
      there.run("step-in", ["say", "Red.", ...on]),
      await waiting.done,
    ])
      checkFailed(ran, { code: 2, said });
    assert.deepEqual(logs(), before);
    asRoot("put", eventKey("again", last), value);
    there.done("append-event", append, answer);
    assert.match(there.done("append-event", append, answer), /^already sent as seq/);
    assert.equal(count(storedIn("again"), '"content":"Files."'), 1);
  });

  it("go on while a member is gone", async () => {
    await cluster.killMember(cluster.endpoints.length - 1);
    ana.done("next-action", ["--session", id, "--participant", "claude"]);
    const { code, stderr } = ana.run("status", ["--store", "etcd:team"]);
    assert.equal(code, 0, stderr);
    cluster.startMember(cluster.endpoints.length - 1);
  });

  const faults: [what: string, settings: () => Settings, code: 2 | 4, why: RegExp][] = [
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
      "a password that others may read",
      () => ({ ...as("ana"), passwordMode: 0o644 }),
      2,
      /^error: \S+team\.password may be .* by others \(mode \d+\), and it holds a password/,
    ],
    [
      "no password in the file that is named",
      () => ({ user: "ana", ca: cluster.ca }),
      2,
      /^error: stores\.team in \S+: password_file team\.password is missing, which is to hold the password; correct it/,
    ],
    [
      "no certificate in the file that is named",
      () => ({ ...as("ana"), ca: `${cluster.ca}.gone` }),
      2,
      /^error: stores\.team in \S+: ca \S+\.gone is missing, which is to hold certificates; correct it/,
    ],
    [
      "no member that answers",
      () => ({ ...as("ana"), endpoints: ["https://127.0.0.1:9"] }),
      4,
      /^error: team is out of reach \(https:\/\/127\.0\.0\.1:9: ECONNREFUSED\); (?:run the same command again|here it stands)/,
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
