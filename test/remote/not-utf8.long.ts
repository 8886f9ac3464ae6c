/** An event with a stray byte in its text: no script writes one, and what it says is anybody's guess. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { eventKey } from "../../scripts-src/remote/etcd/etcd-keys.ts";
import { draft, isOneLine } from "../dialogue/project.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { git, gitWith, makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const threeLaptops = (host: string) => [new Laptop(host), new Laptop(host), new Laptop(host)];
const at = ["--session", "talk"];
const who = ["--participant", "a", "--participant", "b"];

/** ASCII but for `ÿ`, which is then the byte 0xff. */
const withStrayByte = (text: string) => Buffer.from(text, "latin1");

/** What one machine has said is made an event that no script wrote, and that another meets. */
function checkNotTaken(laptops: readonly Laptop[], store: string, spoil: () => void): void {
  const [ana, bo, cy] = laptops as [Laptop, Laptop, Laptop];
  ana.done("init", ["--topic", "Which store?", ...at, ...who, "--store", store]);
  bo.done("join", ["talk", "--store", store]);
  const log = bo.log("talk");
  ana.say("talk", "a", draft("REQUEST", "Files or SQLÿte?", { position: undefined }));
  spoil();
  for (const [laptop, script, ...args] of [
    [bo, "next-action", ...at, "--participant", "b"],
    [bo, "wait-for-turn", ...at, "--participant", "b", "--timeout", "5"],
    [cy, "join", "talk", "--store", store],
  ] as const) {
    const { code, stdout, stderr } = laptop.run(script, args);
    assert.deepEqual([code, stdout, isOneLine(stderr)], [2, "", true], `${script}: ${stderr}`);
    assert.match(
      stderr,
      /^error: .* is not UTF-8: no script of Consulta wrote it, so nothing from/,
    );
  }
  assert.equal(bo.log("talk"), log);
  assert(!existsSync(cy.path("sessions", "talk")));
}

describe("an event whose bytes are not UTF-8", { timeout: 120_000 }, () => {
  it("is not taken from a git remote", () => {
    const host = makeBareRepository();
    const ref = "refs/consulta/talk";
    checkNotTaken(threeLaptops(host), "git", () => {
      const commit = withStrayByte(`${git(host, "cat-file", "commit", ref)}\n`);
      const spoiled = gitWith(host, commit, "hash-object", "-t", "commit", "-w", "--stdin");
      git(host, "update-ref", ref, spoiled);
    });
  });

  describe("in etcd", { skip: noEtcd }, () => {
    let cluster: EtcdCluster;
    before(async () => {
      cluster = await EtcdCluster.start();
    });
    after(() => cluster.stop());

    it("is not taken", () => {
      const laptops = threeLaptops(makeBareRepository());
      for (const { home } of laptops) nameCluster(home, { endpoints: cluster.endpoints });
      const key = eventKey("talk", 2);
      checkNotTaken(laptops, "etcd:team", () => {
        const value = cluster.etcdctl("get", "--print-value-only", key).trimEnd();
        cluster.etcdctlWith(withStrayByte(value), "put", key);
      });
    });
  });
});
