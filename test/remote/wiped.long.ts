/** A cluster that lost all that was kept in it, as one that was set up anew. */
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { draft, isOneLine } from "../dialogue/project.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const at = ["--session", "talk"];
const who = ["--participant", "a", "--participant", "b"];
const opening = ["--topic", "Which store?", ...at, ...who, "--store", "etcd:team"];

describe("a session of a cluster that was wiped", { skip: noEtcd, timeout: 120_000 }, () => {
  let cluster: EtcdCluster;
  let ana: Laptop;
  before(async () => {
    cluster = await EtcdCluster.start();
    ana = new Laptop(makeBareRepository());
    nameCluster(ana.home, { endpoints: cluster.endpoints });
    ana.done("init", opening);
    ana.say("talk", "a", draft("REQUEST", "Files or SQLite?", { position: undefined }));
    cluster.etcdctl("del", "--prefix", "consulta/");
  });
  after(() => cluster.stop());

  const gone = "session talk on team is gone with all its events, and 2 were seen of it";

  it("stops who acts, and is still read", () => {
    for (const script of ["next-action", "wait-for-turn"]) {
      const { code, stdout, stderr } = ana.run(script, [...at, "--participant", "b"]);
      assert.deepEqual([code, stdout, isOneLine(stderr)], [2, "", true], stderr);
      assert.match(stderr, new RegExp(`^error: ${gone}: .*; if it does not come back, move the`));
    }
    for (const [script, shown] of [
      ["report", /Files or SQLite\?/],
      ["status", /^talk: dialogue/m],
    ] as const) {
      const { code, stdout, stderr } = ana.run(script, at);
      assert.deepEqual([code, shown.test(stdout)], [0, true], stdout + stderr);
      assert.match(stderr, new RegExp(`^note: ${gone}`));
    }
  });

  it("makes room for another of its name once its folder is moved away", () => {
    renameSync(ana.path("sessions", "talk"), join(ana.home, "talk"));
    ana.done("init", opening);
    assert.match(ana.done("status", at), /^talk: dialogue/m);
  });
});
