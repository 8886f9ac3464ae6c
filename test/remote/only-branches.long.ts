/** A host that takes branches and tags alone, as some hosts of git do. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { draft } from "../dialogue/project.ts";
import { git, makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const id = "talk";
const at = ["--session", id];
const who = ["--participant", "a", "--participant", "b", "--store", "git"];
const skip = process.platform === "win32" && "needs hooks of a shell";

/** Begins a session there, goes on with it, and looks at what the host was asked for and has. */
function checkKept(words: string[], goOn: (ana: Laptop, bo: Laptop) => void, others: string[]) {
  const host = makeBareRepository();
  const refuse = 'case "$1" in refs/consulta/*) echo "only branches" >&2; exit 1;; esac';
  setHook(host, "update", `echo "$1" >>asked\n${refuse}`);
  const [ana, bo] = [new Laptop(host), new Laptop(host)];
  const begun = ana.run("init", [...words, ...at, ...who]);
  const kept = "the session is kept as refs/heads/consulta/talk";
  assert.equal(begun.stderr, `note: origin takes only branches: ${kept}\n`);
  bo.done("join", [id]);
  goOn(ana, bo);
  for (const laptop of [ana, bo]) assert.match(laptop.done("validate", at), /validation passed/);
  // Each process that went on from there went to the branch at once.
  const [first, ...pushes] = readFileSync(join(host, "asked"), "utf8").trim().split("\n");
  const branch = "refs/heads/consulta/talk";
  assert.equal(first, "refs/consulta/talk");
  assert.deepEqual([...new Set(pushes)].sort(), [...others, branch]);
  assert.equal(git(host, "rev-list", "--count", branch), `${ana.events(id).length}`);
  assert.equal(git(host, "for-each-ref", "refs/consulta"), "");
}

describe("a host that takes only branches", { skip }, () => {
  it("is asked once for a dialogue, which both machines keep as a branch", () => {
    const talk = (ana: Laptop, bo: Laptop) => {
      ana.say(id, "a", draft("REQUEST", "Files or SQLite?", { position: undefined }));
      bo.next(id, "b");
      bo.say(id, "b", draft("RESPONSE", "Files.", { position: "Files." }));
      ana.next(id, "a");
    };
    checkKept(["--topic", "Which store?"], talk, []);
  });

  it("keeps the user's words of a collaboration beside it, as a branch too", () => {
    const say = (ana: Laptop, bo: Laptop) => {
      ana.done("step-in", ["say", "Keep it short.", ...at]);
      const shown = bo.done("next-action", [...at, "--participant", "b"]);
      assert.match(shown, /as the user's word the log has .*\n\| Keep it short\.\n/);
    };
    const words = ["--objective", "Agree on the API", "--completion", "Codes are listed"];
    checkKept(words, say, ["refs/heads/consulta/_person/talk/log"]);
  });
});
