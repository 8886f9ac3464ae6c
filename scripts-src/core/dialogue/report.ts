import { counted } from "../counted.ts";
import { linesOf } from "../document-lines.ts";
import type { LogEvent } from "../event.ts";
import { inline } from "../json.ts";
import { limits } from "../limits.ts";
import type { Files, Report, ReportSection } from "../protocol.ts";
import { deliveryLines } from "./delivery-lines.ts";
import { parseDialogueEvent, unseal } from "./event.ts";
import type { Message } from "./message.ts";
import { type DialogueState, otherThan } from "./state.ts";

export interface Said {
  seq: number;
  message: Message;
}

/**
 * The user report of seed 003: rounds, summary, what each side revised or accepted, the decision,
 * or both positions; and beside it what a person needs to check it.
 */
export function report(
  state: DialogueState,
  events: readonly LogEvent[],
  _files: Files,
  before: DialogueState,
): Report {
  const said = messagesOf(state, events);
  const { outcome } = state;
  const started = `${state.startedAt} to ${state.actedAt}`;
  return {
    title: state.topic,
    verdict: verdictOf(state),
    facts: [
      `Session ${state.id}, mode ${state.mode}, ${state.participants.join(" and ")}, ${started}`,
      `${counted(state.round, "round")}, ${counted(sentCount(state), "message")}, progress budget ${Math.max(state.budget, 0)} at the end`,
      ...state.participants.map((name) => confidenceLine(name, said)),
    ],
    sections: [
      section("Question", quoted(state.goal || state.topic)),
      ...(outcome?.kind === "consensus"
        ? [section("Decision", quoted(solutionIn(said) ?? outcome.decision))]
        : []),
      ...(outcome?.kind === "escalated" ? escalationSections(outcome) : []),
      ...(outcome === undefined || outcome.kind === "closed"
        ? [pointsSection("Still open", openPoints(state))]
        : []),
      pointsSection("Agreed", state.agreements.map(bullet)),
      ...state.participants.map((name) => revisionSection(state, name, said)),
      pointsSection("Checked facts", said.flatMap(hypothesisLines)),
      pointsSection("Claims and who re-ran them", claimLines(said)),
      pointsSection("Discarded on the way", said.flatMap(discardedLines)),
      section("How it went", said.map(storyLine)),
      section("Delivery", deliveryLines(events, before)),
    ].filter(({ lines }) => lines.length > 0),
  };
}

/** Of all messages, also those that are too old to be told. */
function sentCount({ participants, ...state }: DialogueState): number {
  return participants.reduce((sum, name) => sum + (state.sides[name]?.sentCount ?? 0), 0);
}

function section(heading: string, lines: string[]): ReportSection {
  return { heading, lines };
}

/** The first points, each cut: all that was said is in the log. */
function pointsSection(heading: string, points: string[]): ReportSection {
  const lines = points.slice(0, limits.reportPoints).map(shortPoint);
  const more = points.length - lines.length;
  return section(heading, more > 0 ? [...lines, bullet(`${more} more, see the log`)] : lines);
}

function shortPoint(line: string): string {
  const max = limits.reportPointCharacters;
  return line.length > max ? `${line.slice(0, max).toWellFormed()}...` : line;
}

/** What a participant wrote, line by line: none of them can pass for one of the report. */
function quoted(text: string): string[] {
  return linesOf(text).map((line) => `> ${line}`.trimEnd());
}

function bullet(text: string): string {
  return `- ${text}`;
}

/** A sealed position stays sealed until both are in, or the session has ended. */
export function messagesOf(state: DialogueState, events: readonly LogEvent[]): Said[] {
  return events.flatMap((event) => {
    const known = parseDialogueEvent(event);
    if (known.event === "message_sent") return [{ seq: event.seq, message: known.message }];
    const opened = known.event === "position_sealed" && state.phase !== "sealing";
    const sealed = opened ? unseal(known.sealed)?.message : undefined;
    return sealed === undefined ? [] : [{ seq: event.seq, message: sealed }];
  });
}

function verdictOf({ outcome, phase, turn }: DialogueState): string {
  if (outcome?.kind === "consensus") return "CONSENSUS";
  if (outcome?.kind === "closed")
    return `CLOSED by ${outcome.by}, nothing was decided: ${inline(outcome.reason, 1_000)}`;
  if (outcome?.kind !== "escalated") return `OPEN (${phase}, waiting for ${turn.join(" and ")})`;
  return `ESCALATED: ${outcome.reasons.map(({ code, text }) => `${code} (${inline(text, 1_000)})`).join("; ")}`;
}

function confidenceLine(name: string, said: Said[]): string {
  const trail = said.flatMap(({ message }) =>
    message.from === name && message.confidence !== undefined ? [message.confidence] : [],
  );
  return `Confidence of ${name}, in its own word: ${trail.join(", ") || "none given"}`;
}

export function solutionIn(said: Said[]): string | undefined {
  return said.findLast(({ message }) => message.type === "CONSENSUS")?.message.question_or_proposal
    .content;
}

/** Original goal, each position, the point of disagreement (seed 003). */
function escalationSections(
  outcome: Extract<DialogueState["outcome"], { kind: "escalated" }>,
): ReportSection[] {
  return [
    section("Original goal", quoted(outcome.goal)),
    ...outcome.positions.map(({ participant, position, confidence }) =>
      section(`Position of ${participant}`, [
        ...(position === "" ? ["No position was stated."] : quoted(position)),
        ...(confidence === undefined ? [] : [`(confidence ${confidence})`]),
      ]),
    ),
    section("Point of disagreement, yours to decide", quoted(cutDispute(outcome.disagreement))),
  ];
}

function openPoints(state: DialogueState): string[] {
  return [
    ...state.disagreements.map(({ point }) => bullet(`disputed: ${point}`)),
    ...state.questions.map(({ by, question }) => bullet(`${by} owes an answer: ${question}`)),
    ...state.claims.map(({ by, text }) => bullet(`${by} owes a re-check: ${text}`)),
    ...state.tasks.map(({ by, task }) => bullet(`${by} owes a result: ${task}`)),
  ];
}

/** Of many disputed points the first; a report is for a person. */
function cutDispute(text: string): string {
  const max = limits.quoteCharacters;
  return text.length > max
    ? `${text.slice(0, max).toWellFormed()}... (the rest: see the log)`
    : text;
}

/** Every change of position with what caused it: a change without a cause would be suspect. */
function revisionSection(state: DialogueState, name: string, said: Said[]): ReportSection {
  const other = otherThan(state, name);
  const own = said.filter(({ message }) => message.from === name);
  const lines = own.flatMap(({ seq, message }) => [
    ...(message.progress ?? []).flatMap(({ kind, point }) =>
      kind === "accepted" ? [bullet(`accepted: ${point} (message ${seq})`)] : [],
    ),
    ...(message.resolved ?? []).map(({ point, because }) =>
      bullet(`gave up or settled: ${point}, because ${because} (message ${seq})`),
    ),
    ...(message.synthesis === undefined
      ? []
      : [bullet(`synthesis: ${message.synthesis} (message ${seq})`)]),
  ]);
  const nothing = state.outcome?.kind === "consensus" ? [] : [bullet("nothing")];
  return pointsSection(
    `What ${name} revised or accepted from ${other}`,
    lines.length > 0 ? lines : nothing,
  );
}

function hypothesisLines({ seq, message }: Said): string[] {
  return (message.hypotheses ?? []).map(({ claim, tool, outcome, evidence }) =>
    bullet(
      `${outcome}: ${claim}. ${message.from} checked with ${tool}: ${evidence ?? "not yet"} (message ${seq})`,
    ),
  );
}

function claimLines(said: Said[]): string[] {
  const checks = new Map(
    said.flatMap(({ message }) =>
      (message.checks ?? []).map((check) => [check.claim, { ...check, by: message.from }] as const),
    ),
  );
  return said.flatMap(({ seq, message }) =>
    (message.claims ?? []).map(({ text, check }, index) => {
      const id = `C${seq}.${index + 1}`;
      const again = checks.get(id);
      const result =
        again === undefined
          ? "NOT re-run by anybody"
          : `${again.outcome}, re-run by ${again.by}: ${again.evidence}`;
      return bullet(`${id} ${message.from}: ${text} [${check}] ${result}`);
    }),
  );
}

function discardedLines({ message }: Said): string[] {
  return (message.tried_and_discarded ?? []).map(({ approach, reason }) =>
    bullet(`${approach}: ${reason}`),
  );
}

function storyLine({ seq, message }: Said): string {
  const { content } = message.question_or_proposal;
  const [first = ""] = content.trim().split("\n");
  const short = first.length > 160 ? `${first.slice(0, 157)}...` : first;
  const confidence = message.confidence === undefined ? "" : ` (${message.confidence})`;
  return bullet(`message ${seq}, ${message.from} ${message.type}${confidence}: ${short}`);
}
