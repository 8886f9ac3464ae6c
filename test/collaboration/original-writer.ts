import assert from "node:assert/strict";
import { appendFileSync, closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Collaboration } from "./folder.ts";

interface Line {
  readonly seq: number;
  readonly from: string;
  readonly event: string;
  readonly reply_to?: number;
}

interface Change {
  readonly phase: string;
  readonly waiting: readonly string[];
}

/**
 * Stands in for a participant with the original's Python scripts, schema 1: it trusts
 * protocol.json, appends a line without any lock and rewrites protocol.json in place.
 */
export class OriginalWriter {
  readonly #at: Collaboration;
  readonly #name: string;

  constructor(at: Collaboration, name: string) {
    this.#at = at;
    this.#name = name;
  }

  /** Whether protocol.json names it; it reads nothing else to know. */
  get isAwaited(): boolean {
    return this.#waitingFor().includes(this.#name);
  }

  /** Reads the log as Python's splitlines does: whatever our scripts wrote must survive that. */
  log(): Line[] {
    const lines = this.#at.read("events.jsonl").split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
    return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  }

  async append(event: string, fields: { doc?: string; summary?: string } = {}): Promise<void> {
    const log = this.log();
    const { phase, waiting } = this.#after(event, log);
    const seq = Math.max(...log.map((line) => line.seq)) + 1;
    const at = `${new Date().toISOString().slice(0, 19)}Z`;
    const { doc, summary = "By hand." } = fields;
    const line = {
      seq,
      from: this.#name,
      event,
      at,
      summary,
      ...(doc === undefined ? {} : { doc }),
    };
    const text = JSON.stringify({ ...line, reply_to: seq - 1 });
    appendFileSync(this.#at.path("events.jsonl"), `${text}\n`);
    await this.#rewrite({ currentPhase: phase, waitingFor: waiting, updatedAt: at });
  }

  /** A heading with the seq that its event will have, as long as nobody is faster. */
  appendReview(): void {
    const seq = this.log().length + 1;
    const heading = `## 2026-01-01T00:00:00Z - ${this.#name} - seq ${seq}`;
    appendFileSync(this.#at.path("review.md"), `\n${heading}\n\n${this.#at.review()}\n`);
  }

  /** In place and in two writes: for a moment the file is empty, then half there. */
  async #rewrite(changes: Record<string, unknown>): Promise<void> {
    const protocol = { ...this.#at.state, ...changes };
    const keys = Object.keys(protocol).sort();
    const sorted = Object.fromEntries(keys.map((key) => [key, Reflect.get(protocol, key)]));
    const text = `${JSON.stringify(sorted, undefined, 2)}\n`;
    const file = openSync(this.#at.path("protocol.json"), "r+");
    try {
      ftruncateSync(file);
      await setTimeout(10);
      writeSync(file, text.slice(0, 60), 0);
      await setTimeout(10);
      writeSync(file, text.slice(60), 60);
    } finally {
      closeSync(file);
    }
  }

  #after(event: string, log: readonly Line[]): Change {
    const everybody = [...this.#at.opening.participants];
    const [owner = ""] = everybody;
    const rest = this.#waitingFor().filter((name) => name !== this.#name);
    const others = everybody.filter((name) => name !== owner).sort();
    const last = (next: Change, phase: string): Change =>
      rest.length > 0 ? { phase, waiting: rest } : next;
    switch (event) {
      case "proposal_submitted":
        return { phase: "reviewing", waiting: others };
      case "review_submitted":
        return last({ phase: "revising", waiting: [owner] }, "reviewing");
      case "proposal_revised":
        return { phase: "decision_review", waiting: [owner] };
      case "question_classified":
        return { phase: "decision_review", waiting: everybody.sort() };
      case "decision_accepted":
        return last({ phase: "readiness_check", waiting: [owner] }, "decision_review");
      case "readiness_passed":
        return { phase: "readiness_check", waiting: [owner] };
      case "completed":
        return { phase: "completed", waiting: [] };
      default:
        return assert.fail(`${event} after ${log.length} events is not played by the stand-in`);
    }
  }

  #waitingFor(): string[] {
    const waiting = this.#at.state["waitingFor"];
    assert(Array.isArray(waiting));
    return waiting.map(String);
  }
}
