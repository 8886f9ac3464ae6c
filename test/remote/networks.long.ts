import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { draft } from "../dialogue/project.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";
import { type Host, hostsOf, openNetwork } from "./network.ts";
import { checkSeveralMachines } from "./several-machines.ts";

// Where this is allowed each machine has a network of its own: nothing goes by what they share here.

const users = ["ana", "bo", "cy"];

checkSeveralMachines(
  "a cluster of three with TLS and users",
  async (repository) => {
    const network = openNetwork();
    const asked = { hosts: hostsOf(network, 3), asker: network?.hub };
    const cluster = await EtcdCluster.start({ members: 3, tls: true, ...asked });
    cluster.authenticate(...users);
    const stop = async () => {
      await cluster.stop();
      network?.close();
    };
    const { endpoints, ca } = cluster;
    let settled = 0;
    return {
      ...{ url: repository, settings: [], store: "etcd:team", hosts: hostsOf(network, 3), stop },
      settle: ({ home }) => {
        const user = users[settled++] ?? "ana";
        nameCluster(home, { endpoints, ca, user, password: `${user}-secret` });
      },
    };
  },
  noEtcd,
);

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
    let sent = send(ana, "claude", message);
    for (let tries = 0; sent.code === 4 && tries < 20; tries += 1)
      sent = send(ana, "claude", message);
    assert.equal(sent.code, 0, sent.stderr);
    alike();
  });
});
