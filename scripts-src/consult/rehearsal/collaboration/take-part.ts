import { resolve } from "node:path";
import { limits } from "../../../base/limits.ts";
import { shortLine } from "../../../clis/short-line.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { atWitsEnd, type RehearsalTurn, runSibling, type ScriptEnd } from "../run-sibling.ts";
import { type Desk, deliverableIn, type Offer, textIn } from "./desk.ts";
import { writeConclusion } from "./edit-conclusion.ts";
import { writeDecisions } from "./edit-decisions.ts";
import { draftDeliverable, finishDeliverable } from "./edit-deliverable.ts";
import { reviseProposal, unknownChange, writeProposal } from "./edit-proposal.ts";
import {
  classifyQuestions,
  listQuestions,
  noteHash,
  tickAll,
  tickReady,
} from "./edit-readiness.ts";
import { reviewOf, unmetChange } from "./reviews.ts";
import { summaryOf } from "./summaries.ts";
import { shortMark } from "./words.ts";

/** What a scripted colleague appends now. */
export interface Part {
  readonly name: string;
  send(): Promise<ScriptEnd>;
}

/**
 * Does what the first event that `next-action` offers needs and appends it. There is no plan beyond
 * that: what has to be done, and in which order, `next-action` alone knows.
 * @throws ConsultaError REFUSED when something is owed that a script cannot do.
 */
export async function takePart(
  desk: Desk,
  turn: RehearsalTurn,
  lookAgain: () => Promise<Desk | undefined>,
): Promise<Part | undefined> {
  const obstacle = obstacleFor(desk);
  if (obstacle !== undefined) return block(desk, turn, obstacle);
  const written = writeAll(desk);
  // What was owed may be done now, and the hash of what is frozen is another one.
  const isStale = desk.obligations.length > 0 || desk.offers[0].options["sha256"] !== undefined;
  const now = written > 0 && isStale ? await lookAgain() : desk;
  if (now === undefined) return undefined;
  const [offer] = now.offers;
  const [owed] = offer.form === "" ? now.obligations : [];
  if (owed !== undefined) return block(now, turn, owed);
  const { sha256, event = "" } = offer.options;
  if (sha256 !== undefined) edit(now, "readiness.md", (text) => noteHash(text, sha256));
  const text = offer.options["review"] === "-" ? reviewOf(now) : "";
  return partOf(turn, offer, summaryOf(event, now), text);
}

/** What only a person or a real agent can do. */
function obstacleFor(desk: Desk): string | undefined {
  switch (desk.offers[0].options["event"]) {
    case "unblocked":
      throw atWitsEnd("only a person can say that a blocker is gone");
    case "proposal_revised": {
      const change = unknownChange(desk);
      return change === undefined ? undefined : `a script cannot make this change: ${change}`;
    }
    case "decision_accepted": {
      const change = unmetChange(desk);
      return change === undefined ? undefined : `a change that I required is not made: ${change}`;
    }
    default:
      return undefined;
  }
}

type Edit = (text: string, desk: Desk) => string;

/** The documents that an event needs, with how they are written; gives how many have changed. */
function writeAll(desk: Desk): number {
  const primary = deliverableIn(desk) ?? "";
  const edits: Record<string, readonly (readonly [path: string, Edit])[]> = {
    deliverable_drafted: [[primary, draftDeliverable]],
    proposal_submitted: [["proposal.md", writeProposal]],
    proposal_revised: [
      ["proposal.md", reviseProposal],
      ["decisions.md", writeDecisions],
      ["readiness.md", listQuestions],
    ],
    question_classified: [
      ["decisions.md", writeDecisions],
      ["readiness.md", classifyQuestions],
    ],
    deliverable_frozen: [[primary, finishDeliverable]],
    readiness_passed: [["readiness.md", tickReady]],
    completed: [
      ["readiness.md", tickAll],
      ["conclusion.md", writeConclusion],
    ],
  };
  const due = edits[desk.offers[0].options["event"] ?? ""] ?? [];
  return due.filter(([path, write]) => edit(desk, path, (text) => write(text, desk))).length;
}

/** Changes a document, if it may be written now; gives whether it has changed. */
function edit(desk: Desk, path: string, write: (text: string) => string): boolean {
  if (!desk.documents.includes(path)) return false;
  const before = textIn(desk, path);
  const after = write(before);
  if (after !== before) writeFileAtomically(resolve(desk.folder, path), after);
  return after !== before;
}

/** Stops where a script must not pretend. */
function block(desk: Desk, turn: RehearsalTurn, reason: string): Part {
  const offer = desk.offers.find(({ options }) => options["event"] === "blocked");
  if (offer === undefined) throw atWitsEnd(reason);
  return partOf(turn, offer, `${shortMark} ${reason}`, "");
}

function partOf(turn: RehearsalTurn, { options }: Offer, summary: string, input: string): Part {
  const words = Object.entries({
    ...options,
    summary: shortLine(summary, limits.summaryCharacters),
  });
  const flags = words.map(([name, value]) => `--${name}=${value}`);
  const send = () => runSibling(turn, "append-event", flags, input);
  return { name: options["event"] ?? "", send };
}
