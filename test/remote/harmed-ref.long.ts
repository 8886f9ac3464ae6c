/** What a team's own use of git does to a session's refs: each participant is told, and one line puts all back. */
import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { makeScratchFolder } from "../scratch-folder.ts";
import { git, makeBareRepository } from "./git-remote.ts";
import { Laptop, runPrinted } from "./laptop.ts";
import { checkFailed } from "./sent-once.ts";

const id = "sync";
const at = ["--session", id];
const refs = [`refs/consulta/${id}`, `refs/consulta/_person/${id}/log`];

describe("a session whose refs are harmed", () => {
  let host: string;
  let backup: string;
  let ana: Laptop;
  let bo: Laptop;
  beforeEach(() => {
    host = makeBareRepository();
    [ana, bo] = [new Laptop(host), new Laptop(host)];
    const who = ["--participant", "a", "--participant", "b", "--store", "git"];
    const words = ["--objective", "Agree on the API", "--completion", "Codes are listed"];
    ana.done("init", [...words, ...at, ...who]);
    bo.done("join", [id]);
    ana.done("step-in", ["say", "Keep it short.", ...at]);
    backup = join(makeScratchFolder(), "backup.git");
    cpSync(host, backup, { recursive: true });
    propose(ana);
    ana.done("step-in", ["say", "Shorter.", ...at]);
    bo.done("next-action", named("b"));
  });

  const propose = (on: Laptop) => {
    const said = ["--event", "proposal_submitted", "--reply-to", "1", "--doc", "proposal.md"];
    return on.done("append-event", [...at, "--participant", "a", ...said, "--summary", "Done."]);
  };
  const restore = () => {
    rmSync(host, { recursive: true });
    cpSync(backup, host, { recursive: true });
  };
  const tips = () => refs.map((ref) => git(host, "rev-parse", ref));
  /** What a clone of somebody does that never heard of sessions. */
  const fromClone = (...words: string[]) => {
    const clone = makeScratchFolder();
    git(".", "clone", "--quiet", host, clone);
    git(clone, "commit", "--quiet", "--allow-empty", "-m", "one");
    git(clone, ...words);
  };
  const named = (who: string) => [...at, "--participant", who];
  const acts = [
    () => ana.run("next-action", named("a")),
    () => ana.send(id, "a", "{}"),
    () => bo.run("wait-for-turn", [...named("b"), "--timeout", "20"]),
    () => bo.run("next-action", named("b")),
  ];

  const harms: [what: string, harm: () => unknown, said: RegExp][] = [
    [
      "git push --mirror, and the host's gc",
      () => {
        fromClone("push", "--mirror", "origin");
        git(host, "gc", "--quiet", "--prune=now");
      },
      /was deleted/,
    ],
    ["a backup of the host", restore, /history was rewritten: .*it was moved back, by hand or/],
  ];
  for (const [what, harm, said] of harms)
    it(`says so to each, and comes back by the line that it prints: ${what}`, () => {
      const before = tips();
      harm();
      const ends = acts.map((act) => act());
      for (const end of ends) checkFailed(end, { code: 2, said });
      const line = ends.at(-1)?.stderr ?? "";
      runPrinted(bo, line.slice(line.indexOf("git -C ")));
      assert.deepEqual(tips(), before);
      for (const on of [ana, bo]) assert.match(on.run("validate", at).stdout, /^validation passed/);
    });

  it("says up to where both are the same where a backup was gone on from", () => {
    const late = new Laptop(backup);
    late.done("join", [id]);
    propose(late);
    restore();
    const next = bo.run("next-action", named("b"));
    const said = /history was rewritten: .*; events up to 1 of both are the same; .*joins it; /;
    checkFailed(next, { code: 2, said });
  });
});
