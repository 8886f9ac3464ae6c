/** A project, or the folder of a session alone, that lies elsewhere than where the session was begun or joined. */
import assert from "node:assert/strict";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { draft } from "../dialogue/project.ts";
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
});
