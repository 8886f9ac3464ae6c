/** A host that takes branches and tags alone, as some hosts of git do. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { draft } from "../dialogue/project.ts";
import { git, makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const id = "talk";
const at = ["--session", id];
const who = ["--participant", "a", "--participant", "b"];

describe("a host that takes only branches", {
  skip: process.platform === "win32" && "needs hooks of a shell",
}, () => {
  let host: string;
  let ana: Laptop;
  let bo: Laptop;
  beforeEach(() => {
    host = makeBareRepository();
    const refuse = 'case "$1" in refs/consulta/*) echo "only branches" >&2; exit 1;; esac';
    setHook(host, "update", `echo "$1" >>asked\n${refuse}`);
    [ana, bo] = [new Laptop(host), new Laptop(host)];
  });

  const begin = (...words: string[]) => {
    const begun = ana.run("init", [...words, ...at, ...who, "--store", "git"]);
    assert.equal(begun.code, 0, begun.stderr);
    const kept = "the session is kept as refs/heads/consulta/talk";
    assert.equal(begun.stderr, `note: origin takes only branches: ${kept}\n`);
    bo.done("join", [id]);
  };
  /** Each process that went on from there went to the branch at once. */
  const checkHost = (...others: string[]) => {
    const [first, ...pushes] = readFileSync(join(host, "asked"), "utf8").trim().split("\n");
    assert.equal(first, "refs/consulta/talk");
    const branch = "refs/heads/consulta/talk";
    assert.deepEqual([...new Set(pushes)].sort(), [...others, branch]);
    const events = (ref: string) => Number(git(host, "rev-list", "--count", ref));
    assert.equal(events(branch), ana.log(id).trim().split("\n").length);
    assert.equal(git(host, "for-each-ref", "refs/consulta"), "");
  };

  it("is asked once for a dialogue, which both machines keep as a branch", () => {
    begin("--topic", "Which store?");
    ana.say(id, "a", draft("REQUEST", "Files or SQLite?", { position: undefined }));
    bo.next(id, "b");
    bo.say(id, "b", draft("RESPONSE", "Files.", { position: "Files." }));
    ana.done("next-action", [...at, "--participant", "a"]);
    for (const laptop of [ana, bo]) assert.match(laptop.done("validate", at), /validation passed/);
    assert.equal(ana.log(id), bo.log(id));
    checkHost();
  });

  it("keeps the user's words of a collaboration beside it, as a branch too", () => {
    begin("--objective", "Agree on the API", "--completion", "Codes are listed");
    ana.done("step-in", ["say", "Keep it short.", ...at]);
    const shown = bo.done("next-action", [...at, "--participant", "b"]);
    assert.match(shown, /as the user's word the log has .*\n\| Keep it short\.\n/);
    assert.match(bo.done("validate", at), /validation passed/);
    checkHost("refs/heads/consulta/_person/talk/log");
  });
});
