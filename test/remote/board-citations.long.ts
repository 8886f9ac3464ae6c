import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { sha256 } from "../../scripts-src/files/hash.ts";
import { reportText } from "../findings/board.ts";
import { marksOf, poolPrint } from "../findings/pool-print.ts";
import { git, source, write } from "../findings/worktree.ts";
import { forge } from "./forged-commit.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const board = ".consulta/sessions/causes";
const cites = "The cause is in `src/a.rs:2`.";

describe("what a report on a board of two machines cites", { timeout: 300_000 }, () => {
  let host: string;
  let ana: Laptop;
  let bo: Laptop;
  beforeEach(() => {
    host = makeBareRepository();
    ana = new Laptop(host);
    write(join(ana.folder, "src/a.rs"), ...source);
    git(ana.folder, "add", "src");
    git(ana.folder, "commit", "-qm", "first");
    git(ana.folder, "push", "-q", "origin", "HEAD");
    bo = new Laptop(host);
    ana.done("init", [board, "2", "600", "--store", "git"]);
    bo.done("join", ["causes"]);
    ana.done("register", [board, "al"]);
    bo.done("register", [board, "bob"]);
  });

  const post = (at: Laptop, agent: string, parts: Parameters<typeof reportText>[0]) =>
    at.done("post", [board, agent, "cause", "--file", "-"], reportText(parts));
  const readByBo = () => bo.done("read-all", [board, "bob"]);
  /** What Bo is told of a report of Ana's, besides when it was recorded and the lines that it cites. */
  const told = (file = "01-cause.md") =>
    marksOf(readByBo(), "al", file).filter((line) => !/^(?:seq|cited:)/.test(line));

  it("is compared with the reader's own clone, and tells no path of its author's", () => {
    post(ana, "al", { summary: cites });
    post(ana, "al", { directories: [ana.folder], summary: `Again: ${cites}` });
    const [when = "", ...facts] = marksOf(readByBo(), "al", "01-cause.md");
    const commit = git(ana.folder, "rev-parse", "HEAD").slice(0, 10);
    assert.match(when, new RegExp(`^seq \\d+, [\\d.]+ s ago, \\./ at ${commit}$`));
    assert.deepEqual(facts, ['cited: src/a.rs:2 "two"']);
    const file = join(bo.folder, "src/a.rs");
    const changes: [lines: readonly string[], fact: string][] = [
      [
        ["one", "TWO", ...source.slice(2)],
        'stale: src/a.rs:2 is different in your clone; it said "two"',
      ],
      [["new", ...source], 'moved: src/a.rs:2 is at line 3 now; it said "two"'],
    ];
    for (const [lines, fact] of changes) {
      write(file, ...lines);
      for (const name of ["01-cause.md", "02-cause.md"]) assert.deepEqual(told(name), [fact]);
    }
    rmSync(file);
    assert.deepEqual(told(), ['gone: src/a.rs:2; it said "two"']);
    assert(!bo.log("causes").includes(ana.home), bo.log("causes"));
  });

  it("is not compared where it lies outside of the project, and its place is told to nobody", () => {
    const library = join(ana.home, "library");
    for (const home of [ana.home, bo.home]) write(join(home, "library/lib.rs"), "a line");
    post(ana, "al", { directories: [library], summary: "See `lib.rs:1`.", modified: ["lib.rs"] });
    assert.deepEqual(told(), ["not compared: lib.rs:1, it lies outside of your project"]);
    assert(!bo.log("causes").includes(ana.home), bo.log("causes"));
    // It is one file for all agents of that machine.
    ana.done("register", [board, "cy"]);
    post(ana, "cy", { directories: [library], summary: "Mine too.", modified: ["lib.rs"] });
    const both = "conflict: lib.rs: modified by al/01-cause.md and cy/01-cause.md";
    assert(poolPrint(readByBo()).front.includes(both), readByBo());
  });

  it("opens nothing outside of the reader's project, whatever a peer wrote as its path", () => {
    write(join(bo.home, "secret"), "a secret");
    symlinkSync(bo.home, join(bo.folder, "link"));
    const inHome = join(bo.home, "secret");
    const outside = [
      ...["/./../secret", "/./src/../../secret", "/./link/secret", "/././/../secret", "/../secret"],
      ...[inHome, `${bo.folder}/../secret`, "/etc/hostname"],
    ];
    // Which only a forger can.
    const cited = outside.map((file, index) => {
      const place = { key: `s${index}`, shown: `s${index}.rs:1`, from: 1, to: 1 };
      return { ...place, file, sha256: sha256("a secret"), text: "a secret" };
    });
    const text = reportText({ summary: "See `s.rs:1`." });
    const lists = { faults: [], confirms: [], supersedes: [] };
    const none = { ...lists, modified: [], investigated: [], said: "", watched: true };
    const roots = [{ dir: "/./../..", repo: "/./", prefix: "../", commit: "0".repeat(40) }];
    const content = { sha256: sha256(text), title: "A cause", ...none, roots, cited };
    const event = { from: "al", event: "posted", file: "01-forged.md", content };
    forge(host, "causes", event, { "findings/al/01-forged.md": text });
    assert.deepEqual(
      told("01-forged.md"),
      cited.map(({ shown }) => `not compared: ${shown}, it lies outside of your project`),
    );
  });
});
