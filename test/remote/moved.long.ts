/** A project, or the folder of a session alone, that lies elsewhere than where the session was begun or joined. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { draft, isOneLine } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import { removeFolder } from "../scratch-folder.ts";
import { git, makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const at = ["--session", "talk"];
const who = ["--participant", "a", "--participant", "b"];
const answer = draft("RESPONSE", "Files.", { position: "Files." });

let host: string;
let ana: Laptop;
let bo: Laptop;
beforeEach(() => {
  host = makeBareRepository();
  [ana, bo] = [new Laptop(host), new Laptop(host)];
  ana.done("init", ["--topic", "Which store?", ...at, ...who, "--store", "git"]);
  ana.say("talk", "a", draft("REQUEST", "Files or SQLite?", { position: undefined }));
  bo.done("join", ["talk"]);
});

/** The scripts of a machine run in another folder from now on. */
function goTo(laptop: Laptop, folder: string): void {
  Object.assign(laptop, { folder });
}

describe("a project that was moved", { timeout: 120_000 }, () => {
  it("goes on with its sessions, and knows what was seen of them", () => {
    const folder = join(bo.home, "work", "renamed");
    mkdirSync(join(bo.home, "work"));
    renameSync(bo.folder, folder);
    goTo(bo, folder);
    assert.match(bo.next("talk", "b").stdout, /Files or SQLite\?/);
    bo.say("talk", "b", answer);
    assert.match(ana.next("talk", "a").stdout, /Files\./);
    // Another session that is begun there forgets none of it.
    bo.open("other", "--store", "git");
    git(host, "update-ref", "refs/consulta/talk", "refs/consulta/talk~3");
    const { code, stderr } = bo.next("talk", "b");
    assert.deepEqual([code, /history was rewritten/.test(stderr)], [2, true], stderr);
  });

  it("and one that was copied, both go on", () => {
    const [original, copy] = [bo.folder, join(bo.home, "copy")];
    cpSync(original, copy, { recursive: true });
    for (const folder of [copy, original]) {
      goTo(bo, folder);
      assert.match(bo.next("talk", "b").stdout, /Files or SQLite\?/);
    }
    bo.say("talk", "b", answer);
    goTo(bo, copy);
    assert.doesNotMatch(bo.next("talk", "b").stdout, /Files or SQLite\?/);
    const log = bo.log("talk");
    goTo(bo, original);
    assert.equal(log, bo.log("talk"));
  });

  it("and one whose copy is gone again, it still knows what was seen", () => {
    const [original, copy] = [bo.folder, join(bo.home, "copy")];
    cpSync(original, copy, { recursive: true });
    goTo(bo, copy);
    bo.done("next-action", [...at, "--participant", "b"]);
    removeFolder(copy);
    goTo(bo, original);
    removeFolder(bo.path("sessions", "talk"));
    git(host, "update-ref", "refs/consulta/talk", "refs/consulta/talk~1");
    const { code, stderr } = bo.run("join", ["talk"]);
    assert.deepEqual([code, /history was rewritten/.test(stderr)], [2, true], stderr);
  });

  it("leaves a board outside of it with one line that names what is missing", () => {
    const board = join(ana.home, "board");
    ana.done("init", [board, "2", "600", "--store", "git"]);
    ana.done("register", [board, "one"]);
    renameSync(ana.folder, join(ana.home, "renamed"));
    const gone = ana.folder;
    goTo(ana, join(ana.home, "renamed"));
    const { code, stderr } = ana.run("post", [board, "one", "x", "--file", "-"], reportText());
    assert.deepEqual([code, isOneLine(stderr)], [2, true], stderr);
    assert.match(stderr, new RegExp(`^error: ${gone} is gone, whose remote origin `));
  });
});
