import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { rowsOf } from "../../rows.ts";
import { runMaker } from "../consult-run.ts";
import { scripted } from "../scripted-line.ts";

const objective = "Agree on the sync API";
const session = "agree-on-the-sync-api";
const gate = ["--completion", "Error codes are listed"];
const collaborate = ["--kind", "collaboration"];

describe("consult --kind collaboration", { concurrency: 2 }, () => {
  const project = runMaker([]);
  /** A list of participants that all are the agent of the fixture. */
  const agents = (...names: string[]) => [
    "--participants",
    names.map((name) => `${name}=${scripted()}`).join(","),
  ];

  it("lets commands take it to a report in the workspace", async () => {
    const run = project();
    const type = ["--primary-deliverable-type", "adr"];
    const { exitCode, stdout, stderr } = await run.consult([
      ...[...collaborate, ...agents("ada", "bob", "cy"), ...gate, ...type],
      objective,
    ]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /^# Agree on the sync API\n\n\*\*COMPLETED: proceed/);
    assert.match(stderr, /session agree-on-the-sync-api: ada \(command:.*\), bob .*, cy \(/);
    assert.match(stderr, /bob: review_submitted \(seq \d; re.*\): did review_submitted/);
    assert.doesNotMatch(stderr, /one more try/);
    const kept = /kept as (.*)/.exec(stderr)?.[1] ?? "";
    assert.equal(readFileSync(kept, "utf8"), stdout);
    assert(existsSync(join(run.project, ".consulta/sessions", session, "deliverables")));
  });

  it("lets commands without any permission take it to the end in a folder of its own", async () => {
    const run = project();
    const begin = [...collaborate, ...gate, ...agents("ana", "bob", "cy"), "--folder", "docs/api"];
    const first = await run.consult([...begin, "--turns-max", "2", objective]);
    assert.equal(first.exitCode, 1, first.stderr);
    assert.equal(first.stdout, "");
    assert.match(
      first.stderr,
      /limit of 2 turns.*\n {2}node .*consult\.cjs --folder docs\/api --part/,
    );
    const again = await run.consult([...begin, objective]);
    assert.equal(again.exitCode, 2);
    assert.match(again.stderr, /docs\/api holds a collaboration already; leave out the objective/);
    const second = await run.consult([
      "--folder",
      "docs/api",
      ...agents("ana", "bob", "cy"),
      "--json",
    ]);
    assert.equal(second.exitCode, 0, second.stderr);
    const { phase, report } = JSON.parse(second.stdout);
    assert.deepEqual([phase, report.verdict], ["completed", "COMPLETED: proceed"]);
    assert(existsSync(join(run.project, "docs/api/report.md")));
    assert(!existsSync(join(run.project, ".consulta")));
  });

  const many = Array.from({ length: 65 }, (_, index) => `p${index}`).join(",");
  const long = "x".repeat(4_001);
  /** The words of the command line, O the objective and G a gate, and why they are refused. */
  const refused = rowsOf(`
O | needs at least one --completion: a gate, one line that must be true
O --completion BLANK | needs at least one --completion
BLANK G | the question is empty
${long} G | has 4001 characters, the limit is 4000
O G --participants a=claude,a=me | 2 to 64 different .*; got a, a;
O G --participants ${many} | 2 to 64 .* got 65;
O G --mode rapida | --mode belongs to --kind dialogue
O G --kind poll | unknown kind "poll"
O G --kind dialogue | --completion belongs to
O --folder f --kind dialogue | --folder belongs
--session a --folder b | --folder and --session came`);
  const meant: Record<string, string[]> = { O: [objective], G: gate, BLANK: [" "] };
  for (const [words = "", reason = ""] of refused) {
    it(`refuses ${words.slice(0, 60)} and writes nothing`, async () => {
      const run = project();
      const args = words.split(" ").flatMap((word) => meant[word] ?? [word]);
      const isOther = args.includes("--kind") || args.includes("--session");
      const { exitCode, stderr, stdout } = await run.consult([
        ...(isOther ? [] : [...collaborate, "--folder", "docs/api"]),
        ...(args.includes("--participants") ? [] : agents("ana", "bob")),
        ...args,
      ]);
      assert.deepEqual([exitCode, stdout], [2, ""], stderr);
      assert.match(stderr, new RegExp(reason));
      assert.equal(stderr.trim().split("\n").length, 1);
      assert(!existsSync(join(run.project, ".consulta")) && !existsSync(join(run.project, "docs")));
    });
  }

  /** Begins a collaboration of three in a folder, and has no time to go on. */
  const soonOver = [
    ...[...collaborate, ...gate, ...agents("ada", "bob", "cy"), "--folder", "c"],
    ...["--time-limit", "0.001", objective],
  ];

  it("refuses a folder without a collaboration, and what is settled already", async () => {
    const run = project();
    mkdirSync(join(run.project, "empty"));
    const none = await run.consult(["--folder", "empty"]);
    assert.equal(none.exitCode, 2);
    assert.match(none.stderr, /missing protocol\.json/);
    assert.equal((await run.consult(soonOver)).exitCode, 1);
    const gates = await run.consult(["--folder", "c", ...gate]);
    assert.match(gates.stderr, /goes on as it was begun; leave out --completion/);
    const kind = await run.consult(["--folder", "c", "--kind", "dialogue"]);
    assert.match(kind.stderr, /is a collaboration; leave out --kind dialogue/);
    const who = await run.consult(["--folder", "c"]);
    assert.match(
      who.stderr,
      /is between ada and bob and cy; say who runs them: --participants ada=/,
    );
    assert.deepEqual([gates.exitCode, kind.exitCode, who.exitCode], [2, 2, 2]);
  });

  it("runs participants with the names that others gave them", async () => {
    const run = project();
    await run.consult(soonOver);
    for (const file of ["protocol.json", "events.jsonl"]) {
      const path = join(run.project, "c", file);
      writeFileSync(path, readFileSync(path, "utf8").replaceAll('"ada"', '"Ada, the 1st"'));
    }
    const { exitCode, stdout, stderr } = await run.consult([
      ...["--folder", "c", ...agents("Ada, the 1st", "bob", "cy")],
    ]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /COMPLETED: proceed/);
  });
});
