import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Transcripts } from "../../../scripts-src/brain/server/transcripts.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { answerLine } from "../../wake/brain-machine.ts";
import { until } from "../../wake/fake-cli.ts";

let folder: string;
let told: [session: string, tokens: number][];
let transcripts: Transcripts;
beforeEach(() => {
  folder = makeScratchFolder();
  told = [];
  transcripts = new Transcripts((session, { current }) => told.push([session, current]));
});
afterEach(async () => {
  await transcripts.stop();
  removeFolder(folder);
});

const path = (...names: string[]) => join(folder, ...names);
const answers = (file: string, tokens: number) => appendFileSync(file, `${answerLine(tokens)}\n`);
const hasTold = (session: string, tokens: number) =>
  until(`${session} is at ${tokens}`, () =>
    told.some(([name, it]) => name === session && it === tokens),
  );

describe("transcripts that are followed", () => {
  it("tell of each answer by themselves, and of nothing that was read already", async () => {
    answers(path("one"), 100);
    assert.equal(transcripts.read("one", "claude", path("one"))?.current, 100);
    answers(path("one"), 200);
    await hasTold("one", 200);
    writeFileSync(path("other"), "of nobody\n");
    transcripts.look();
    assert.deepEqual(told, [["one", 200]]);
  });

  it("are followed from when their folder is there", async () => {
    const late = path("deep", "late");
    assert.equal(transcripts.read("one", "claude", late), undefined);
    mkdirSync(path("deep"));
    answers(late, 300);
    transcripts.look();
    assert.deepEqual(told, [["one", 300]]);
    answers(late, 400);
    await hasTold("one", 400);
  });

  it("tell nothing of a context that has been emptied until there is another answer", async () => {
    answers(path("one"), 900);
    transcripts.read("one", "claude", path("one"));
    transcripts.outdate("one");
    appendFileSync(path("one"), '{"type":"user"}\n');
    transcripts.look();
    assert.equal(transcripts.read("one", "claude", path("one")), undefined);
    answers(path("one"), 50);
    await hasTold("one", 50);
    assert.deepEqual(told, [["one", 50]]);
  });

  it("are left where the session has ended or its file is gone", async () => {
    for (const name of ["one", "two"]) {
      answers(path(name), 100);
      transcripts.read(name, "claude", path(name));
    }
    transcripts.leave("one");
    answers(path("one"), 200);
    rmSync(path("two"));
    transcripts.look();
    assert.deepEqual(told, []);
  });
});
