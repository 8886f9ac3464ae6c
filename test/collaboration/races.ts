import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOneLine, type Ran } from "../dialogue/project.ts";
import { Collaboration, collaborationAt } from "./folder.ts";
import { toldBy } from "./told.ts";

const reviewers = ["b", "c", "d", "e", "f", "g", "h", "i"];
const nine = { participants: ["a", ...reviewers] };

/** Starts them together and gives how each ended. */
function all(runs: { done: Promise<Ran> }[]): Promise<Ran[]> {
  return Promise.all(runs.map(({ done }) => done));
}

/** The headings of reviews in review.md, in order. */
function headings(at: Collaboration): string[] {
  return at.read("review.md").match(/^## .* - seq \d+$/gm) ?? [];
}

export function raceReviewers(rounds: number): void {
  describe("8 reviewers that submit at the same instant", () => {
    it(`are counted once each, in ${rounds} rounds`, async (t) => {
      const model = collaborationAt("reviewing", nine);
      const started = performance.now();
      for (let round = 0; round < rounds; round += 1) {
        const at = model.copy();
        const ended = await all(
          reviewers.map((by) =>
            at.startAppend(by, "review_submitted", {
              summary: `Review of ${by}.`,
              review: at.review(`Position of ${by}.`),
              "reply-to": 2,
            }),
          ),
        );
        checkRound(at, ended);
      }
      t.diagnostic(
        `${rounds} rounds, ${Math.round((performance.now() - started) / rounds)} ms each`,
      );
    });
  });
}

function checkRound(at: Collaboration, ended: Ran[]): void {
  for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
  const acknowledged = ended.map(({ stdout }) => stdout).sort();
  const seqs = [3, 4, 5, 6, 7, 8, 9];
  assert.deepEqual(
    acknowledged,
    [...seqs, 10].map((seq) => `appended seq ${seq}: review_submitted\n`).sort(),
  );
  const reviews = at.events().slice(2);
  assert.deepEqual(reviews.map(({ from }) => from).sort(), reviewers);
  assert.deepEqual(
    reviews.map(({ seq }) => seq),
    [...seqs, 10],
  );
  for (const { from, summary } of reviews) assert.equal(summary, `Review of ${from}.`);
  const expected = reviews.map(({ seq, from, at: time }) => `## ${time} - ${from} - seq ${seq}`);
  assert.deepEqual(headings(at).sort(), expected.sort());
  for (const by of reviewers) {
    assert.equal(at.read("review.md").split(`Position of ${by}.`).length, 2, `text of ${by}`);
  }
  assert.deepEqual([at.state["currentPhase"], at.state["waitingFor"]], ["revising", ["a"]]);
  at.checkValid();
}

export function raceBeginnings(rounds: number): void {
  describe("6 that begin a collaboration at once", () => {
    const letters = ["u", "v", "w", "x", "y", "z"];
    const begin = (at: Collaboration, ...args: string[]) =>
      all(letters.map((it) => at.start("init", [...at.initArgs(), "--objective", it, ...args])));

    it("elect one winner, whose objective is everywhere", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const at = new Collaboration();
        const ended = await begin(at);
        assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 2, 2, 2, 2, 2]);
        for (const { code, stderr } of ended) {
          if (code === 0) continue;
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
      assert(at.read("proposal.md").includes(`\n${objective}\n`));
      assert(at.read("README.md").includes(`\n${objective}\n`));
      assert.equal(at.events().length, 1);
      at.checkValid();
    }
  });
}

export function readDuringWrites(rounds: number): void {
  describe("readers during writes", () => {
    it("next-action and validate never fail and never see a half state", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const at = collaborationAt("reviewing", nine);
        const writes = reviewers.map((by) =>
          at.startAppend(by, "review_submitted", { review: at.review(), "reply-to": 2 }),
        );
        const told = ["a", "b", "i"].map((by) =>
          at.start("next-action", ["--participant", by, "--json"]),
        );
        const verdicts = ["1", "2", "3", "4"].map(() => at.start("validate"));
        for (const { code, stderr } of await all(writes)) assert.equal(code, 0, stderr);
        for (const { code, stdout, stderr } of await all(told)) {
          assert.equal(code, 0, stderr);
          const { standing } = toldBy(stdout);
          assert.match(standing[0] ?? "", /^phase: (?:reviewing|revising)$/);
        }
        for (const ran of await all(verdicts)) {
          assert.deepEqual(
            [ran.code, ran.stdout],
            [0, "ACP validation passed\n"],
            `round ${round}`,
          );
        }
      }
    });
  });
}

export function raceBlocks(rounds: number): void {
  describe("participants that block at once", () => {
    it("are both in the log, and the owner goes back to where it was", async () => {
      const model = collaborationAt("reviewing", nine);
      for (let round = 0; round < rounds; round += 1) {
        const at = model.copy();
        const two = ["b", "c"].map((by) => at.startAppend(by, "blocked", { summary: `By ${by}.` }));
        for (const { code, stderr } of await all(two)) assert.equal(code, 0, stderr);
        const blocks = at.events().slice(2);
        assert.deepEqual(
          blocks.map(({ seq, event }) => [seq, event]),
          [
            [3, "blocked"],
            [4, "blocked"],
          ],
        );
        assert.deepEqual(blocks.map(({ from }) => from).sort(), ["b", "c"]);
        assert.deepEqual([at.state["currentPhase"], at.state["waitingFor"]], ["blocked", []]);
        at.checkValid();
        at.say("a", "unblocked");
        assert.deepEqual(at.state["waitingFor"], reviewers);
      }
    });

    it("beside a reviewer lose nothing of the review", async () => {
      const model = collaborationAt("reviewing");
      for (let round = 0; round < rounds; round += 1) {
        const at = model.copy();
        const review = at.startAppend("b", "review_submitted", { review: at.review() });
        const block = at.startAppend("a", "blocked");
        const [reviewed, blocked] = await all([review, block]);
        assert.equal(blocked?.code, 0, blocked?.stderr);
        const events = at.events().map(({ event }) => event);
        const isStored = reviewed?.code === 0;
        assert.equal(events.includes("review_submitted"), isStored, reviewed?.stderr);
        assert.equal(headings(at).length, isStored ? 1 : 0);
        if (!isStored) assert.match(reviewed?.stderr ?? "", /not allowed from phase blocked/);
        assert.equal(at.state["currentPhase"], "blocked");
        at.checkValid();
      }
    });
  });
}
