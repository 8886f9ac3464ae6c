import assert from "node:assert/strict";
import { appendFileSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { Collaboration, collaborationAt } from "./folder.ts";
import { OriginalWriter } from "./original-writer.ts";

/** What the owner appends in turn, and with which document. */
const ownersWay = [
  ["proposal_submitted", "proposal.md"],
  ["proposal_revised", "proposal.md"],
  ["question_classified", "readiness.md"],
  ["decision_accepted", "decisions.md"],
  ["readiness_passed", "readiness.md"],
  ["completed", "conclusion.md"],
] as const;

const wakesOurs: readonly string[] = ["proposal_submitted", "question_classified", "completed"];

describe("a participant with the original scripts, turn by turn with ours,", () => {
  it("owns the proposal and comes to completed", async () => {
    const at = new Collaboration({ participants: ["theirs", "ours"] }).init();
    rmSync(at.path(".consulta.json"));
    const theirs = new OriginalWriter(at, "theirs");
    at.writeDocuments();
    for (const [event, doc] of ownersWay) {
      assert(theirs.isAwaited, `before ${event}`);
      if (!wakesOurs.includes(event)) {
        await theirs.append(event, { doc });
        at.checkValid(`after ${event}`);
        continue;
      }
      // Ours waits while the other rewrites protocol.json in place.
      const wait = at.start("wait-for-turn", ["--participant", "ours", "--timeout", "20"]);
      await theirs.append(event, { doc });
      const { code, stderr } = await wait.done;
      assert.equal(code, 0, stderr);
      at.checkValid(`after ${event}`);
      if (event === "completed") continue;
      const [move = {}] = at.guidance("ours").moves;
      const review = move["event"] === "review_submitted" ? { review: at.review() } : {};
      at.say("ours", move["event"] ?? "", review);
      at.checkValid(`after ${move["event"]}`);
    }
    assert.equal(at.state["currentPhase"], "completed");
    assert.deepEqual(
      theirs.log().map(({ seq }) => seq),
      at.events().map((_, index) => index + 1),
    );
    assert.equal(at.guidance("ours").turn, "ended");
  });

  it("reviews and accepts what ours owns, to completed", async () => {
    const at = new Collaboration({ participants: ["ours", "theirs"] }).init();
    const theirs = new OriginalWriter(at, "theirs");
    for (const [event, doc] of ownersWay) {
      if (event === "question_classified") at.writeDocuments();
      assert.equal(at.guidance("ours").moves[0]?.["event"], event);
      at.say("ours", event, { doc });
      if (event === "proposal_submitted") {
        assert(theirs.isAwaited);
        theirs.appendReview();
        await theirs.append("review_submitted", { doc: "review.md" });
      }
      if (event === "question_classified") await theirs.append("decision_accepted");
      at.checkValid(`after ${event}`);
    }
    assert.equal(at.state["currentPhase"], "completed");
    assert(!theirs.isAwaited);
  });

  it("finds protocol.json as it would have written it itself", async () => {
    const at = new Collaboration({ participants: ["ours", "\u00fc theirs"] }).init();
    const theirs = new OriginalWriter(at, "\u00fc theirs");
    at.say("ours", "proposal_submitted");
    const ours = at.read("protocol.json");
    theirs.appendReview();
    await theirs.append("review_submitted");
    const after = at.read("protocol.json");
    const neutral = (text: string) => text.replace(/"(currentPhase|updatedAt)": ".*"/g, '"$1": ""');
    const waiting = /"waitingFor": \[\n.*\n {2}\]/;
    assert.equal(neutral(after).replace(waiting, ""), neutral(ours).replace(waiting, ""));
    assert.deepEqual(Object.keys(at.state), Object.keys(at.state).sort());
  });
});

describe("what a participant with the original scripts leaves behind", () => {
  it("when it dies between log and protocol.json is found in the log", () => {
    const at = collaborationAt("reviewing");
    const line = { seq: 3, from: "b", event: "review_submitted", at: at.events()[1]?.["at"] };
    const text = JSON.stringify({ ...line, summary: "Fine.", doc: "review.md", reply_to: 2 });
    appendFileSync(at.path("review.md"), `\n## x - b - seq 3\n\n${at.review()}\n`);
    appendFileSync(at.path("events.jsonl"), `${text}\n`);
    const { code, stdout } = at.wait("a", "--timeout", "5");
    assert.equal(code, 0);
    assert.match(stdout, /^ready: a is listed in waitingFor\nphase: revising\n/);
    at.checkValid();
  });

  it("when it reviews without a heading is told, and stops nobody", async () => {
    const at = collaborationAt("reviewing");
    await new OriginalWriter(at, "b").append("review_submitted");
    const { code, stdout } = at.validate();
    assert.equal(code, 2);
    const fault = "seq 3: review_submitted requires matching review.md heading";
    assert.equal(stdout, `ACP validation failed\nERROR: ${fault}\n`);
    at.say("a", "proposal_revised");
  });

  it("when two of them take one seq is told, and the next event gets the line's number", () => {
    const at = collaborationAt("reviewing", { participants: ["a", "b", "c"] });
    for (const from of ["b", "c"]) {
      const line = { seq: 3, from, event: "review_submitted", at: at.events()[1]?.["at"] };
      const text = JSON.stringify({ ...line, summary: "Fine.", doc: "review.md", reply_to: 2 });
      appendFileSync(at.path("events.jsonl"), `${text}\n`);
    }
    const { code, stdout } = at.validate();
    assert.equal(code, 2);
    assert.match(stdout, /^ERROR: events\.jsonl: expected seq 4, found 3$/m);
    assert.equal(at.guidance("a").moves[0]?.["event"], "proposal_revised");
    const ran = at.append("a", "proposal_revised");
    assert.deepEqual([ran.code, ran.stdout], [0, "appended seq 5: proposal_revised\n"]);
  });

  it("when its lines are written with blanks between is read as any other", () => {
    const at = collaborationAt("reviewing");
    const lines = at.read("events.jsonl").trimEnd().split("\n");
    const spaced = lines.map((line) => JSON.stringify(JSON.parse(line), undefined, 1));
    const text = spaced.map((line) => line.replaceAll("\n", "")).join("\r\n\r\n");
    at.write("events.jsonl", `${text}\r\n`);
    at.checkValid();
    at.say("b", "review_submitted", { review: at.review(), "reply-to": 2 });
    at.checkValid();
  });
});
