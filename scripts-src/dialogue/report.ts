import { inline, type JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { plural } from "../base/plural.ts";
import type { LogEvent } from "../log/event.ts";
import { modeWord } from "../protocol/config.ts";
import type { Files, Report, ReportSection, ReportWants, Today } from "../protocol/protocol.ts";
import { closingFaults } from "./consensus.ts";
import { decisionRecord } from "./decision-record.ts";
import { deliveryLines } from "./delivery-lines.ts";
import { type Claim, isSeen, standsOf } from "./evidence-state.ts";
import { marksOf } from "./marks.ts";
import { openLines } from "./obligation-words.ts";
import { decisionSections, escalationSections, personSections } from "./report-decision.ts";
import { dissentSection, evidenceSections, positionSections } from "./report-evidence.ts";
import { bullet, newestSection, pointsSection, quoted, section } from "./report-formatting.ts";
import { recordsIn } from "./report-records.ts";
import {
  discardedLines,
  messageLines,
  messagesOf,
  revisionSection,
  type ToldMessage,
} from "./report-story.ts";
import { stallText } from "./rounds.ts";
import { type DialogueState, goalOf } from "./state.ts";
import { verdictOf } from "./verdict.ts";

const nothingWanted: ReportWants = { today: { looked: [], changed: [] }, delivery: false };

/**
 * The user report, for anyone who has three minutes: the verdict and the decision, what that rests on,
 * what fell, what was assumed, who changed and why, what speaks against it; and, to be looked up,
 * everything that was said (seed 003: rounds, summary, what each side revised or accepted).
 */
export function report(
  state: DialogueState,
  events: readonly LogEvent[],
  _files: Files,
  before: DialogueState,
  { today, delivery }: ReportWants = nothingWanted,
): Report {
  const said = messagesOf(state, events);
  const record = decisionRecord(state);
  const filled = (sections: ReportSection[]) => sections.filter(({ lines }) => lines.length > 0);
  return {
    title: state.topic,
    verdict: verdictLine(
      state,
      today.changed.map(({ claim }) => claim),
    ),
    facts: [],
    sections: filled([
      ...endSections(state, said),
      ...evidenceSections(state, today, recordsIn(events)),
      ...positionSections(state, said),
      dissentSection(state),
    ]),
    marks: marksOf(state).map(({ text }) => text),
    appendix: filled([
      section("The session", sessionLines(state, said)),
      pointsSection("Agreed", state.agreements.map(bullet)),
      ...state.participants.map((name) => revisionSection(state, name, said)),
      pointsSection("Discarded on the way", said.flatMap(discardedLines)),
      section("Messages", messageLines(said)),
      ...(delivery ? [newestSection("Delivery", deliveryLines(events, before))] : []),
    ]),
    ...defined({ record }),
    data: reportData(state, today),
  };
}

/** The one line that says what it is, with why and what anyone who reads it has to know. */
export function verdictLine(state: DialogueState, stale: readonly string[] = []): string {
  const { outcome, phase, turn } = state;
  const { code, words, remarks, owner, claims, seen } = verdictOf(state, { stale });
  const counts =
    code === "recommendation" && claims > 0 ? [`${seen} of ${plural(claims, "claim")} seen`] : [];
  const more = [...(owner === "" ? [] : [owner]), ...counts, ...remarks];
  if (outcome === undefined) return `${words} (${phase}, waiting for ${turn.join(" and ")})`;
  if (outcome.kind === "closed")
    return `${words}, closed by ${outcome.by}: ${inline(outcome.reason, 1_000)}`;
  if (outcome.kind === "consensus") return [words, ...more, ...closingFaults(state)].join("; ");
  const reasons = outcome.reasons.map(({ code, text }) => `${code} (${inline(text, 1_000)})`);
  return [`${words}: ${reasons.join("; ")}`, ...remarks].join("; ");
}

function endSections(state: DialogueState, said: ToldMessage[]): ReportSection[] {
  const { outcome } = state;
  const question = section("Question", quoted(goalOf(state)));
  const person = personSections(state);
  if (outcome?.kind === "consensus")
    return [...person, ...decisionSections(state, outcome, said), question];
  if (outcome?.kind === "escalated")
    return [...person, ...escalationSections(state, outcome, said)];
  return [question, pointsSection("Still open", openLines(state).map(bullet))];
}

function sessionLines(state: DialogueState, said: ToldMessage[]): string[] {
  const { id, mode, participants, startedAt, actedAt, rules } = state;
  return [
    `Session ${id}, mode ${modeWord(mode)}, ${participants.join(" and ")}, ${startedAt} to ${actedAt}`,
    `${plural(state.round, "round")} of at most ${rules.max_rounds}, ${plural(sentCount(state), "message")}, stall limit ${stallText(state)} at the end`,
    ...participants.map((name) => confidenceLine(name, said)),
  ].map(bullet);
}

/** Of all messages, also those that are too old to be told. */
function sentCount({ participants, ...state }: DialogueState): number {
  return participants.reduce((sum, name) => sum + (state.sides[name]?.sentCount ?? 0), 0);
}

function confidenceLine(name: string, said: ToldMessage[]): string {
  const trail = said.flatMap(({ message }) =>
    message.from === name && message.confidence !== undefined ? [message.confidence] : [],
  );
  const newest = trail.slice(-limits.reportMessages);
  const untold = trail.length > newest.length ? "..., " : "";
  return `Self-reported confidence of ${name}: ${untold}${newest.join(", ") || "none given"}`;
}

/** What a report says, for programs: the same facts under stable names. */
function reportData(state: DialogueState, today: Today): JsonObject {
  const { outcome, trust, person } = state;
  const stale = today.changed.map(({ claim }) => claim);
  const { code, words, claims, seen, assumed, owner, remarks } = verdictOf(state, { stale });
  const agreed = outcome?.kind === "consensus" ? outcome.agreed : undefined;
  const text = outcome?.kind === "consensus" ? (agreed?.text ?? outcome.decision) : "";
  return {
    verdict: { code, words, claims, seen, assumed, owner, remarks: [...remarks] },
    decision: { position: agreed?.position ?? "", text },
    claims: trust.claims.map((claim) => claimData(claim, today)),
    changes: trust.flips.map((it) => ({ ...it })),
    first_answers: trust.firsts.map((it) => ({ ...it })),
    reservations: trust.reservations.map((it) => ({ ...it })),
    marks: marksOf(state).map(({ code, by, seq, text }) => ({ code, by, seq, text })),
    decided: person.decided === undefined ? null : { ...person.decided },
    outcome: person.judged === undefined ? null : { ...person.judged },
  };
}

function claimData(claim: Claim, { looked, changed }: Today): JsonObject {
  const { id, by, text, spec, expect, withdrawn, records, outcome } = claim;
  const since = changed.some((it) => it.claim === id)
    ? "changed"
    : looked.includes(id)
      ? "same"
      : "";
  return {
    ...{ id, by, text, spec, expect, withdrawn, since },
    status: !standsOf(claim) ? "fell" : isSeen(claim) ? "seen" : "assumed",
    evidence: records.map(({ by, seq, met }) => ({ id: `E${seq}`, by, met })),
    says: outcome === undefined ? null : { ...outcome },
  };
}
