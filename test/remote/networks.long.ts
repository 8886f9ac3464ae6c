import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventKey } from "../../scripts-src/remote/etcd/etcd-keys.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { draft } from "../dialogue/project.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop, runUntilReached } from "./laptop.ts";
import { type Host, hostsOf, openNetwork, at as runAt } from "./network.ts";

// Where this is allowed each machine has a network of its own: nothing goes by what they share here.

describe("a cluster whose cables are pulled", { skip: noEtcd, timeout: 240_000 }, () => {
  const id = "stores";
  const question = draft("REQUEST", "Files or SQLite?", { position: undefined });
  const network = openNetwork();
  let cluster: EtcdCluster;
  let members: Host[];
  let at: Host[];
  let ana: Laptop;
  let bo: Laptop;
  before(async () => {
    [members, at] = [hostsOf(network, 3), hostsOf(network, 2)];
    cluster = await EtcdCluster.start({
      members: 3,
      tls: true,
      hosts: members,
      asker: network?.hub,
    });
    const repository = makeBareRepository();
    [ana, bo] = at.map((host) => new Laptop(repository, [], host)) as [Laptop, Laptop];
    for (const { home } of [ana, bo]) nameCluster(home, cluster);
    const who = ["--participant", "claude", "--participant", "gemini"];
    ana.done("init", ["--topic", "T", "--session", id, ...who, "--store", "etcd:team"]);
    bo.done("join", [id, "--store", "etcd:team"]);
  });
  after(async () => {
    await cluster.stop();
    network?.close();
  });
  const send = (from: Laptop, name: string, message: object) =>
    from.run(
      "append-event",
      ["--session", id, "--participant", name, "--message", "-"],
      JSON.stringify(message),
    );
  const alike = () => {
    for (const it of [ana, bo]) assert.equal(it.run("validate", ["--session", id]).code, 0);
    assert.equal(ana.log(id), bo.log(id));
  };

  it("goes on where its leader is cut off, and knows it again", {
    skip: network === undefined && "needs networks",
  }, async () => {
    const leader = members[cluster.leader()] ?? assert.fail("nobody leads");
    network?.cut(leader);
    await sleep(2_000);
    const sent = send(ana, "claude", question);
    assert.equal(sent.code, 0, sent.stderr);
    assert.match(bo.next(id, "gemini").stdout, /Files or SQLite\?/);
    network?.cut(leader, false);
    alike();
  });

  it("stores nothing for a laptop without a cable, and stores it by the same line later", {
    skip: network === undefined && "needs networks",
  }, () => {
    const answer = draft("RESPONSE", "Files.", { position: "files" });
    const [, cable = assert.fail()] = at;
    network?.cut(cable);
    const lost = send(bo, "gemini", answer);
    assert.equal(lost.code, 4, lost.stderr);
    assert.match(lost.stderr, /^error: team is out of reach/m);
    assert.match(bo.done("status", ["--session", id]), /stores: dialogue/);
    network?.cut(cable, false);
    const sent = send(bo, "gemini", answer);
    assert.equal(sent.code, 0, sent.stderr);
    alike();
  });

  it("takes nothing by a member that has no leader", async () => {
    ana.next(id, "claude");
    for (const index of [0, 1]) await cluster.killMember(index);
    await sleep(1_500);
    const message = draft("RESPONSE", "Files it is.", { position: "files" });
    const lost = send(ana, "claude", message);
    assert.equal(lost.code, 4, lost.stderr);
    assert.match(lost.stderr, /^error: team is out of reach/m);
    for (const index of [0, 1]) cluster.startMember(index);
    const sent = await runUntilReached(() => send(ana, "claude", message));
    assert.equal(sent.code, 0, sent.stderr);
    alike();
  });
});

describe("a laptop on the side of a member that is alive and cut off from the others", {
  skip: noEtcd,
  timeout: 600_000,
}, () => {
  const id = "cut";
  const at = ["--session", id];
  const network = openNetwork();
  const skip = network === undefined && "needs networks";
  let cluster: EtcdCluster;
  let members: Host[];
  /** Asks the majority. */
  let ana: Laptop;
  /** Has the network of the member that is cut off. */
  let bo: Laptop;
  let alone: Host;
  let own: string;
  before(async () => {
    if (network === undefined) return;
    members = hostsOf(network, 3);
    const slow = ["--heartbeat-interval", "200", "--election-timeout", "2000"];
    const asked = { hosts: members, asker: network.hub, arguments: slow };
    cluster = await EtcdCluster.start({ members: 3, tls: true, ...asked });
    // The others need not choose a leader when it is gone.
    alone = members[(cluster.leader() + 1) % members.length] ?? assert.fail();
    const repository = makeBareRepository();
    ana = new Laptop(repository, [], network.join());
    bo = new Laptop(repository, [], alone);
    own = cluster.endpoints[members.indexOf(alone)] ?? "";
    nameCluster(ana.home, cluster);
    nameCluster(bo.home, { ca: cluster.ca, endpoints: [own, ...cluster.endpoints] });
    const who = ["--participant", "claude", "--participant", "gemini"];
    ana.done("init", ["--topic", "T", ...at, ...who, "--store", "etcd:team"]);
    bo.done("join", [id, "--store", "etcd:team"]);
    const question = draft("REQUEST", "Files or SQLite?", { position: undefined });
    ana.done(
      "append-event",
      [...at, "--participant", "claude", "--message", "-"],
      JSON.stringify(question),
    );
    assert.match(bo.next(id, "gemini").stdout, /Files or SQLite\?/);
  });
  after(async () => {
    await cluster?.stop();
    network?.close();
  });
  const answer = JSON.stringify(draft("RESPONSE", "Files.", { position: "files" }));
  const evaluation = JSON.stringify(
    draft("EVALUATE", "Files, in one folder.", { position: "files" }),
  );
  const assent = JSON.stringify(draft("EVALUATE", "So be it.", { position: "files" }));
  const words = [...at, "--participant", "gemini", "--message", "-"];
  const send = (message: string) => bo.run("append-event", words, message);
  const later = "run the same command again when it can be reached";
  const note = `note: team is out of reach \\(https://\\S+: etcdserver: no leader\\); here it stands at event \\d+\\n`;
  const lostAs = new RegExp(
    `^error: team is out of reach \\(https://\\S+: etcdserver: no leader\\); ${later}\\n$`,
  );
  const sendLater = async (message: string) => {
    const sent = await runUntilReached(() => send(message));
    assert.equal(sent.code, 0, sent.stderr);
    for (const it of [ana, bo]) assert.match(it.done("validate", at), /^validation passed/);
    assert.equal(ana.log(id), bo.log(id));
    return sent.stdout;
  };

  it("is told so in one line, takes nothing old for all, and loses nothing", { skip }, async () => {
    network?.cut(alone);
    ana.done("step-in", ["say", "Keep it short.", ...at]);
    // Until the member knows that it has no leader.
    await sleep(4_500);
    const words = ["--endpoints", own, "--cacert", cluster.ca, "get", eventKey(id, 2)];
    const env = { ...process.env, ETCDCTL_API: "3" };
    const [program, rest] = runAt(alone, "etcdctl", [...words, "--consistency=s"]);
    assert.match(execFileSync(program, rest, { env }).toString(), /Files or SQLite/, "it is alive");
    const before = bo.log(id);
    const lost = send(answer);
    assert.deepEqual([lost.code, lost.stdout], [4, ""], lost.stderr);
    assert.match(lost.stderr, lostAs);
    const shown = bo.next(id, "gemini");
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stderr, new RegExp(`^${note}$`));
    assert.match(shown.stdout, /Files or SQLite\?/);
    const proved = bo.run("validate", at);
    assert.notEqual(proved.code, 0, proved.stdout);
    assert.match(proved.stdout + proved.stderr, /team is out of reach/);
    assert.equal(bo.log(id), before);
    network?.cut(alone, false);
    await sendLater(answer);
    assert.match(bo.log(id), /Keep it short\./);
    assert.equal(bo.log(id).match(/"content":"Files\."/g)?.length, 1);
  });

  it("learns by the same line that what it sent was stored, where no answer came", {
    skip,
  }, async () => {
    const program = bundledFixture("test/remote/etcd-proxy.fixture.ts");
    const proxy = spawn(
      ...runAt(alone, process.execPath, [program, own, cluster.ca, "So be it."]),
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    const said = async () => String((await once(proxy.stdout, "data"))[0]).trim();
    const silence = (isSilent: boolean) => {
      for (const other of members) if (other !== alone) network?.silence(other, alone, isSilent);
    };
    try {
      nameCluster(bo.home, { endpoints: [`http://127.0.0.1:${await said()}`] });
      assert.match(ana.next(id, "claude").stdout, /Files\./);
      ana.done("append-event", [...at, "--participant", "claude", "--message", "-"], evaluation);
      assert.match(bo.next(id, "gemini").stdout, /Files, in one folder/);
      const sending = bo.begin("append-event", words, assent);
      assert.equal(await said(), "transaction");
      silence(true);
      proxy.stdin.write("go\n");
      const lost = await sending.done;
      assert.deepEqual([lost.code, lost.stdout], [4, ""], lost.stderr);
      assert.match(lost.stderr, /^error: team is out of reach \(.*\n$/);
      assert.match(ana.next(id, "claude").stdout, /So be it\./, "the others have it");
      assert.doesNotMatch(bo.log(id), /So be it\./);
      silence(false);
      assert.match(await sendLater(assent), /already sent as seq \d+/);
      assert.equal(bo.log(id).match(/"content":"So be it\."/g)?.length, 1);
    } finally {
      proxy.kill();
    }
  });
});
