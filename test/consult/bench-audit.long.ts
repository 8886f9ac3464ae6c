import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";
import { bundledFixture } from "../bundled-fixture.ts";
import { Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const folder = resolve(import.meta.dirname, "../../bench/audit");

/** The truth of each packet, as the scripted auditor reads it. */
function writeTruth(path: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const packets = names.flatMap((name) => parse(readFileSync(join(folder, name), "utf8")));
  const claims = packets.map(({ claim, truth, why }) => [claim.text, { says: truth, why }]);
  writeFileSync(path, JSON.stringify({ claims: Object.fromEntries(claims), decision: {} }));
}

describe("bench-audit", () => {
  let project: Project;
  before(() => {
    project = new Project();
    writeTruth(join(project.folder, "truth.json"));
  });
  after(() => removeFolder(project.folder));

  const bench = (auditor: string, ...words: string[]) => {
    const program = bundledFixture("test/trust/auditor.fixture.ts");
    const truth = join(project.folder, "truth.json");
    const line = `command:"${process.execPath}" "${program}" ${auditor} "${truth}"`;
    return project.run("bench-audit", ["--cli", line, ...words]);
  };

  it("says how many requests it makes, and finds a right auditor right", () => {
    const { code, stdout, stderr } = bench("good", "--only", "10");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^10 requests to command, at most two for each packet$/m);
    assert.match(stdout, /^precision of shows: (\d+) of \1 \(100 %\)$/m);
    assert.match(stdout, /^recall of shows: (\d+) of \1 \(100 %\)$/m);
    assert.match(stdout, /^abstained of cannot_tell: (\d+) of \1 \(100 %\)$/m);
    assert.match(stdout, /^tokens \(characters divided by four\): \d{4,} in, \d{3,} out$/m);
  });

  it("finds one that sees all shown precise by chance only", () => {
    const { stdout } = bench("yes", "--only", "10", "--json");
    const { confusion } = JSON.parse(stdout);
    const rows: [string, Record<string, number>][] = Object.entries(confusion);
    for (const [, row] of rows) assert.deepEqual(Object.keys(row), ["shows"]);
    assert.deepEqual(rows.map(([truth]) => truth).sort(), [
      "cannot_tell",
      "does_not_show",
      "shows",
    ]);
  });

  it("counts what has not the right form as no answer", () => {
    const { stdout } = bench("liar", "--only", "3", "--json");
    const rows: Record<string, number>[] = Object.values(JSON.parse(stdout).confusion);
    assert(
      rows.every((row) => Object.keys(row).join() === "none"),
      stdout,
    );
  });

  it("rejects a number that is none, and says where the packets are when they are not there", () => {
    assert.match(
      bench("good", "--only", "few").stderr,
      /--only few; expected a CLI, a number from 1/,
    );
    const alone = makeScratchFolder();
    cpSync(resolve(import.meta.dirname, "../../dist"), join(alone, "dist"), { recursive: true });
    const words = [join(alone, "dist/bench-audit.cjs"), "--cli", "claude"];
    const { code, stderr } = project.runNode([], words);
    removeFolder(alone);
    assert.equal(code, 2);
    assert.match(stderr, /there are no whole packets in .*; run dist\/bench-audit.cjs of a clone/);
  });
});
