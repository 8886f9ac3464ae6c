import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { it } from "node:test";
import { bundledFixture } from "../bundled-fixture.ts";
import { removeFolder } from "../scratch-folder.ts";
import { type Collaboration, collaborationAt } from "./folder.ts";

/** 200 take five minutes on a quiet machine with two cores. */
const rounds = Number(process.env["CONSULTA_EQUAL_ROUNDS"] ?? "2");
const writers = 8;
const submissionsEach = 20;

/** A process that submits the same event again and again; gives the seqs that it was told. */
async function startWriter({ folder }: Collaboration): Promise<number[]> {
  const fixture = bundledFixture("test/collaboration/equal-writer.fixture.ts");
  const child = spawn(process.execPath, [fixture, folder, "a", String(submissionsEach)]);
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0, errors);
  return output.trim().split("\n").map(Number);
}

it(`stores what ${writers} processes say in equal words once for each acknowledgement, in ${rounds} rounds`, async (t) => {
  const model = collaborationAt("classified");
  const wanted = Array.from({ length: writers * submissionsEach }, (_, n) => model.seq + 1 + n);
  const wrong: string[] = [];
  const started = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    const at = model.copy();
    const told = await Promise.all(Array.from({ length: writers }, () => startWriter(at)));
    const acknowledged = told.flat().sort((one, other) => one - other);
    const stored = at.events().slice(model.seq);
    assert.equal(acknowledged.length, wanted.length);
    if (acknowledged.join() !== wanted.join() || stored.length !== wanted.length) {
      const distinct = new Set(acknowledged).size;
      wrong.push(
        `round ${round}: ${acknowledged.length} acknowledged as ${distinct}, ${stored.length} stored`,
      );
    }
    at.checkValid();
    removeFolder(at.project.folder);
  }
  const each = Math.round((performance.now() - started) / rounds);
  t.diagnostic(`${wrong.length} of ${rounds} rounds wrong, ${each} ms each`);
  assert.deepEqual(wrong, []);
});

it("stores a review that one participant submits in 6 processes at once a single time", async () => {
  const at = collaborationAt("reviewing");
  const review = { summary: "Same.", review: at.review(), "reply-to": 2 };
  const ended = await Promise.all(
    Array.from({ length: 6 }, () => at.startAppend("b", "review_submitted", review).done),
  );
  assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 2, 2, 2, 2, 2]);
  assert.equal(at.seq, 3);
  assert.equal(at.read("review.md").match(/^## .* - seq \d+$/gm)?.length, 1);
  at.checkValid();
});
