import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { runScript } from "./measure.ts";

const owner = "owner";

/** A collaboration in a folder of its own, as `init` leaves it; the owner and so many reviewers. */
export function beginFolder(folder: string, reviewersCount: number): string[] {
  const reviewers = Array.from({ length: reviewersCount }, (_, index) => `reviewer-${index + 1}`);
  const names = [owner, ...reviewers].flatMap((name) => ["--participant", name]);
  const about = ["--objective", "How fast is the log?", "--completion", "It was measured"];
  runScript("init", ["--folder", folder, ...names, ...about]);
  return reviewers;
}

/** Brings a folder to where its reviewers have the turn. */
export function propose(folder: string): void {
  const event = ["--event", "proposal_submitted", "--reply-to", "1", "--summary", "A proposal"];
  runScript("append-event", ["--folder", folder, "--participant", owner, ...event]);
}

/** The words of the event that the owner may append again and again. */
export function ownerWords(folder: string): string[] {
  const event = ["--event", "decision_proposed", "--reply-to", "1", "--summary", "Decide anew"];
  return ["--folder", folder, "--participant", owner, ...event];
}

/**
 * A folder whose log has so many events, all legal: a proposal, its review, and then one decision
 * after another, each classified. A script has looked at it, as it would have in a real one.
 */
export function buildFolder(folder: string, eventsCount: number): void {
  beginFolder(folder, 1);
  const log = openSync(join(folder, "events.jsonl"), "a");
  let lines = "";
  for (let seq = 2; seq <= eventsCount; seq += 1) {
    lines += `${JSON.stringify(eventAt(seq))}\n`;
    if (lines.length < 4_000_000 && seq < eventsCount) continue;
    writeSync(log, lines);
    lines = "";
  }
  closeSync(log);
  runScript("next-action", ["--folder", folder, "--participant", owner]);
}

const opening: Record<number, [from: string, event: string]> = {
  2: [owner, "proposal_submitted"],
  3: ["reviewer-1", "review_submitted"],
  4: [owner, "proposal_revised"],
};

function eventAt(seq: number) {
  const alternating = seq % 2 === 0 ? "question_classified" : "decision_proposed";
  const [from, event] = opening[seq] ?? [owner, alternating];
  const at = new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString().replace(".000", "");
  return { seq, from, event, at, summary: `Step ${seq} of the measurement`, reply_to: seq - 1 };
}

/** The review that every reviewer of the bench submits. */
export function writeReview(path: string): void {
  const sections = ["Context", "Position", "Concerns", "Required Changes", "Questions"];
  writeFileSync(path, sections.map((name) => `${name}:\n- None.\n`).join("\n"));
}
