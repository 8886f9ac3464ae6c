import assert from "node:assert/strict";
import { appendFileSync, closeSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Collaboration, collaborationAt } from "./folder.ts";

/** Where an event leads, and who is waited for then; before the last of several it stays where it is. */
const leadsTo: Record<string, [phase: string, waitingFor: string, before?: string]> = {
  proposal_submitted: ["reviewing", "others"],
  review_submitted: ["revising", "owner", "reviewing"],
  proposal_revised: ["decision_review", "owner"],
  question_classified: ["decision_review", "everybody"],
  decision_accepted: ["readiness_check", "owner", "decision_review"],
  readiness_passed: ["readiness_check", "owner"],
  completed: ["completed", "nobody"],
};

/**
 * Stands in for a participant with the original's Python scripts, schema 1: it trusts
 * protocol.json, appends a line without any lock and rewrites protocol.json in place.
 */
class OriginalWriter {
  readonly #at: Collaboration;
  readonly #name: string;

  constructor(at: Collaboration, name: string) {
    this.#at = at;
    this.#name = name;
  }

  get #waitingFor(): string[] {
    const { waitingFor } = this.#at.state;
    assert(Array.isArray(waitingFor));
    return waitingFor.map(String);
  }

  /** Whether protocol.json names it; it reads nothing else to know. */
  get isAwaited(): boolean {
    return this.#waitingFor.includes(this.#name);
  }

  /** The seqs of the log, as Python's splitlines reads it: whatever our scripts wrote must survive that. */
  seqs(): number[] {
    const lines = this.#at.read("events.jsonl").split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
    return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line).seq);
  }

  async append(event: string, doc?: string): Promise<void> {
    const seq = Math.max(...this.seqs()) + 1;
    const at = `${new Date().toISOString().slice(0, 19)}Z`;
    const fields = { seq, from: this.#name, event, at, summary: "By hand.", doc };
    const line = JSON.stringify({ ...fields, reply_to: seq - 1 });
    appendFileSync(this.#at.path("events.jsonl"), `${line}\n`);
    await this.#rewrite({ ...this.#after(event), updatedAt: at });
  }

  /** A heading with the seq that its event will have, as long as nobody is faster. */
  appendReview(): void {
    const heading = `## 2026-01-01T00:00:00Z - ${this.#name} - seq ${this.seqs().length + 1}`;
    appendFileSync(this.#at.path("review.md"), `\n${heading}\n\n${this.#at.review()}\n`);
  }

  /** In place and in two writes: for a moment the file is empty, then half there. */
  async #rewrite(changes: Record<string, unknown>): Promise<void> {
    const protocol: [string, unknown][] = Object.entries({ ...this.#at.state, ...changes });
    const sorted = Object.fromEntries(protocol.sort(([one], [two]) => (one < two ? -1 : 1)));
    const text = `${JSON.stringify(sorted, undefined, 2)}\n`;
    const file = openSync(this.#at.path("protocol.json"), "r+");
    try {
      ftruncateSync(file);
      for (const [from, to] of [
        [0, 60],
        [60, text.length],
      ] as const) {
        await setTimeout(10);
        writeSync(file, text.slice(from, to), from);
      }
    } finally {
      closeSync(file);
    }
  }

  #after(event: string): { currentPhase: string; waitingFor: readonly string[] } {
    const [phase, next, before] = leadsTo[event] ?? assert.fail(`${event} is not played here`);
    const rest = this.#waitingFor.filter((name) => name !== this.#name);
    if (before !== undefined && rest.length > 0) return { currentPhase: before, waitingFor: rest };
    const everybody = [...this.#at.opening.participants].sort();
    const [owner = ""] = this.#at.opening.participants;
    const others = everybody.filter((name) => name !== owner);
    const awaited: Record<string, string[]> = { owner: [owner], others, everybody, nobody: [] };
    return { currentPhase: phase, waitingFor: awaited[next] ?? [] };
  }
}

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
      // Ours waits while the other rewrites protocol.json in place.
      const wait = wakesOurs.includes(event)
        ? at.start("wait-for-turn", ["--participant", "ours", "--timeout", "20"])
        : undefined;
      await theirs.append(event, doc);
      const woken = await wait?.done;
      assert.equal(woken?.code ?? 0, 0, woken?.stderr);
      at.checkValid(`after ${event}`);
      if (wait === undefined || event === "completed") continue;
      const [move = {}] = at.guidance("ours").moves;
      const review = move["event"] === "review_submitted" ? { review: at.review() } : {};
      at.say("ours", move["event"] ?? "", review);
      at.checkValid(`after ${move["event"]}`);
    }
    assert.equal(at.state["currentPhase"], "completed");
    const seqs = at.events().map((_, index) => index + 1);
    assert.deepEqual(theirs.seqs(), seqs);
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
        await theirs.append("review_submitted", "review.md");
      }
      if (event === "question_classified") await theirs.append("decision_accepted");
      at.checkValid(`after ${event}`);
    }
    assert.equal(at.state["currentPhase"], "completed");
    assert(!theirs.isAwaited);
  });
});

describe("what a participant with the original scripts leaves behind", () => {
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
