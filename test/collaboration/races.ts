import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { describe, it } from "node:test";
import { bundledFixture } from "../bundled-fixture.ts";
import { isOneLine, type Ran } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";
import { Collaboration, collaborationAt } from "./folder.ts";
import { toldBy } from "./told.ts";

const reviewers = ["b", "c", "d", "e", "f", "g", "h", "i"];
const nine = { participants: ["a", ...reviewers] };

/** How all that were started together ended. */
function all(runs: { done: Promise<Ran> }[]): Promise<Ran[]> {
  return Promise.all(runs.map(({ done }) => done));
}

/** The headings of reviews in review.md, in order. */
function headings(at: Collaboration): string[] {
  return at.read("review.md").match(/^## .* - seq \d+$/gm) ?? [];
}

/** 8 reviewers that submit at once, while others read. */
function raceReviewers(rounds: number): void {
  describe("8 reviewers that submit at the same instant", () => {
    it(`are counted once each and never seen by half, in ${rounds} rounds`, async () => {
      const model = collaborationAt("reviewing", nine);
      for (let round = 0; round < rounds; round += 1) {
        const at = model.copy();
        const writes = reviewers.map((by) => {
          const review = at.review(`Position of ${by}.`);
          const fields = { summary: `Review of ${by}.`, review, "reply-to": 2 };
          return at.startAppend(by, "review_submitted", fields);
        });
        const told = ["a", "b", "i"].map((by) =>
          at.start("next-action", ["--participant", by, "--json"]),
        );
        const verdicts = ["1", "2", "3", "4"].map(() => at.start("validate"));
        checkReviews(at, await all(writes));
        for (const { code, stdout, stderr } of await all(told)) {
          assert.equal(code, 0, stderr);
          assert.match(toldBy(stdout).standing[0] ?? "", /^phase: (?:reviewing|revising)$/);
        }
        for (const { code, stdout } of await all(verdicts)) {
          assert.deepEqual([code, stdout], [0, "ACP validation passed\n"]);
        }
      }
    });

    it("of whom one submits its review in 6 processes is stored a single time", async () => {
      const at = collaborationAt("reviewing");
      const review = { summary: "Same.", review: at.review(), "reply-to": 2 };
      const six = Array.from({ length: 6 }, () => at.startAppend("b", "review_submitted", review));
      const codes = (await all(six)).map(({ code }) => code);
      assert.deepEqual(codes.sort(), [0, 2, 2, 2, 2, 2]);
      assert.deepEqual([at.seq, headings(at).length], [3, 1]);
      at.checkValid();
    });
  });
}

function checkReviews(at: Collaboration, ended: Ran[]): void {
  for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
  const reviews = at.events().slice(2);
  const seqs = [3, 4, 5, 6, 7, 8, 9, 10];
  assert.deepEqual(
    reviews.map(({ seq }) => seq),
    seqs,
  );
  const acknowledged = seqs.map((seq) => `appended seq ${seq}: review_submitted\n`);
  assert.deepEqual(ended.map(({ stdout }) => stdout).sort(), acknowledged.sort());
  assert.deepEqual(reviews.map(({ from }) => from).sort(), reviewers);
  for (const { from, summary, seq, at: time } of reviews) {
    assert.equal(summary, `Review of ${from}.`);
    const [, own = ""] = at.read("review.md").split(`\n## ${time} - ${from} - seq ${seq}\n`);
    assert.match(own, new RegExp(`^\\nContext:\\n(?:.*\\n)*?- Position of ${from}\\.`));
    assert.equal(at.read("review.md").split(`Position of ${from}.`).length, 2, `text of ${from}`);
  }
  assert.equal(headings(at).length, reviewers.length);
  assert.deepEqual([at.state["currentPhase"], at.state["waitingFor"]], ["revising", ["a"]]);
  at.checkValid();
}

function raceBeginnings(rounds: number): void {
  describe("6 that begin a collaboration at once", () => {
    const letters = ["u", "v", "w", "x", "y", "z"];
    const begin = (at: Collaboration, ...args: string[]) =>
      all(letters.map((it) => at.start("init", [...at.initArgs(), "--objective", it, ...args])));

    it("elect one winner, whose objective is everywhere", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const at = new Collaboration();
        const ended = await begin(at);
        assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 2, 2, 2, 2, 2]);
        for (const { stderr } of ended.filter(({ code }) => code !== 0)) {
          assert.match(stderr, /already contains protocol\.json; use --resume to acknowledge it/);
          assert(isOneLine(stderr), stderr);
        }
        checkBegun(at, letters[ended.findIndex(({ code }) => code === 0)] ?? "");
      }
    });

    it("all succeed with --resume, and there is one collaboration", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const at = new Collaboration();
        for (const { code, stderr } of await begin(at, "--resume")) assert.equal(code, 0, stderr);
        checkBegun(at, String(at.state["objective"]));
      }
    });

    function checkBegun(at: Collaboration, objective: string): void {
      assert(letters.includes(objective));
      assert.equal(at.state["objective"], objective);
      for (const name of ["proposal.md", "README.md"]) {
        assert(at.read(name).includes(`\n${objective}\n`), name);
      }
      assert.equal(at.seq, 1);
      at.checkValid();
    }
  });
}

function raceBlock(rounds: number): void {
  describe("a participant that blocks", () => {
    it("beside a reviewer loses nothing of the review", async () => {
      const model = collaborationAt("reviewing");
      for (let round = 0; round < rounds; round += 1) {
        const at = model.copy();
        const review = at.startAppend("b", "review_submitted", { review: at.review() });
        const [reviewed, blocked] = await all([review, at.startAppend("a", "blocked")]);
        assert.equal(blocked?.code, 0, blocked?.stderr);
        const isStored = reviewed?.code === 0;
        const events = at.events().map(({ event }) => event);
        assert.equal(events.includes("review_submitted"), isStored, reviewed?.stderr);
        assert.equal(headings(at).length, isStored ? 1 : 0);
        if (!isStored) assert.match(reviewed?.stderr ?? "", /not allowed from phase blocked/);
        assert.equal(at.state["currentPhase"], "blocked");
        at.checkValid();
      }
    });
  });
}

const writers = 8;
const submissionsEach = 20;

/** A process that submits the same event again and again; gives the seqs that it was told. */
async function startWriter({ folder }: Collaboration): Promise<number[]> {
  const fixture = bundledFixture("test/collaboration/equal-writer.fixture.ts");
  const child = spawn(process.execPath, [fixture, folder, "a", String(submissionsEach)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0);
  return output.trim().split("\n").map(Number);
}

function raceEqualEvents(rounds: number): void {
  it(`${writers} processes that say the same are stored once for each acknowledgement, in ${rounds} rounds`, async () => {
    const model = collaborationAt("classified");
    const wanted = Array.from({ length: writers * submissionsEach }, (_, n) => model.seq + 1 + n);
    for (let round = 0; round < rounds; round += 1) {
      const at = model.copy();
      const told = await Promise.all(Array.from({ length: writers }, () => startWriter(at)));
      const acknowledged = told.flat().sort((one, other) => one - other);
      assert.deepEqual(acknowledged, wanted, `round ${round}`);
      assert.equal(at.seq, model.seq + wanted.length, `round ${round}`);
      at.checkValid();
      removeFolder(at.project.folder);
    }
  });
}

export function race(rounds: number): void {
  // Of the other races half as many tell as much.
  const fewer = Math.ceil(rounds / 2);
  raceReviewers(rounds);
  raceBeginnings(fewer);
  raceBlock(fewer);
  raceEqualEvents(fewer);
}
