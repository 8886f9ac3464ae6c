import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, it } from "node:test";
import { AttentionFile, needsAttention } from "../../scripts-src/brain/attention-file.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

let folder: string;
beforeEach(() => {
  folder = makeScratchFolder();
});
afterEach(() => removeFolder(folder));
const path = () => join(folder, "attention.json");
const fail = (text: string) => assert.fail(text);

it("the sessions that need attention are named as long as there are any", () => {
  const attention = new AttentionFile(folder, fail);
  attention.name([]);
  assert(!existsSync(path()));
  attention.name(["one", "one"]);
  assert.deepEqual([needsAttention(folder, "one"), needsAttention(folder, "two")], [true, false]);
  attention.name([null]);
  assert(needsAttention(folder, "two"));
  attention.name([]);
  assert(!needsAttention(folder, "one"));
});

it("a brain takes back what one before it has left", () => {
  writeFileSync(path(), '["one"]');
  new AttentionFile(folder, fail).name([]);
  assert(!existsSync(path()));
});

it("every session needs attention where nobody can tell", () => {
  for (const text of ["", "{", "{}", "[".repeat(300_000)]) {
    writeFileSync(path(), text);
    assert(needsAttention(folder, "one"), text.slice(0, 5));
  }
});

it("a file that cannot be written is noted, and tried again", () => {
  const notes: string[] = [];
  mkdirSync(path());
  const attention = new AttentionFile(folder, (text) => notes.push(text));
  attention.name(["one"]);
  attention.name(["one"]);
  assert.equal(notes.length, 2);
});
