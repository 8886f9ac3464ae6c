import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { it } from "node:test";
import { bundledFixture } from "../bundled-fixture.ts";
import { removeFolder } from "../scratch-folder.ts";
import { type Collaboration, collaborationAt } from "./folder.ts";

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

export function raceEqualWriters(rounds: number): void {
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
}
