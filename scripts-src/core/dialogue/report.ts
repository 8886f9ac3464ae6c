import { counted } from "../counted.ts";
import { linesOf } from "../document-lines.ts";
import type { LogEvent } from "../event.ts";
import { inline } from "../json.ts";
import { limits } from "../limits.ts";
import type { Files, Report, ReportSection } from "../protocol.ts";
import { singleLine } from "../visible-text.ts";
import { closingFaults } from "./consensus.ts";
import { deliveryLines } from "./delivery-lines.ts";
import { parseDialogueEvent, unseal } from "./event.ts";
import { normalized } from "./markers.ts";
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
        ? [section("Decision", quoted(solutionIn(said, outcome) ?? outcome.decision))]
        : []),
      ...(outcome?.kind === "consensus"
        ? [pointsSection("Open when it was closed", outcome.open.map(bullet))]
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
      newestSection("How it went", said.map(storyLine)),
      newestSection("Delivery", deliveryLines(events, before)),
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

/** The newest lines, after how many there are before them. */
function newestSection(heading: string, lines: string[]): ReportSection {
  const newest = lines.slice(-limits.reportMessages);
  const untold = lines.length - newest.length;
  return section(
    heading,
    untold > 0 ? [bullet(`${untold} before these, see the log`), ...newest] : newest,
  );
}

function shortPoint(line: string): string {
  const max = limits.reportPointCharacters;
  return line.length > max ? `${line.slice(0, max).toWellFormed()}...` : line;
}

/** What a participant wrote, line by line: none of them can pass for one of the report. */
function quoted(text: string): string[] {
  return linesOf(text).map((line) => `> ${line}`.trimEnd());
}

/** One line, whatever breaks are in the words of a participant. */
function bullet(text: string): string {
  return `- ${singleLine(text)}`;
}

/** Words of a participant inside a line: quoted where their breaks could pass for lines of ours. */
function asPart(text: string): string {
  return /[\n\v\f\r\u0085\u2028\u2029]/.test(text) ? inline(text, limits.itemCharacters) : text;
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

function verdictOf(state: DialogueState): string {
  const { outcome, phase, turn } = state;
  if (outcome?.kind === "consensus") return ["CONSENSUS", ...closingFaults(state)].join("; ");
  if (outcome?.kind === "closed")
    return `CLOSED by ${outcome.by}, nothing was decided: ${inline(outcome.reason, 1_000)}`;
  if (outcome?.kind !== "escalated") return `OPEN (${phase}, waiting for ${turn.join(" and ")})`;
  return `ESCALATED: ${outcome.reasons.map(({ code, text }) => `${code} (${inline(text, 1_000)})`).join("; ")}`;
}

function confidenceLine(name: string, said: Said[]): string {
  const trail = said.flatMap(({ message }) =>
    message.from === name && message.confidence !== undefined ? [message.confidence] : [],
  );
  const newest = trail.slice(-limits.reportMessages);
  const untold = trail.length > newest.length ? "..., " : "";
  return `Confidence of ${name}, in its own word: ${untold}${newest.join(", ") || "none given"}`;
}

/** The whole text that closed the session; undefined where it is too old to be told. */
export function solutionIn(said: Said[], { seq }: { seq: number }): string | undefined {
  return said.find((it) => it.seq === seq)?.message.question_or_proposal.content;
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
    ...state.hypotheses.map(({ claim }) => bullet(`a fact is unchecked: ${claim}`)),
    ...state.dropped.map(({ point, by, seq }) =>
      bullet(`left out by ${by} without a reason (message ${seq}): ${point}`),
    ),
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
      bullet(`${settledText(point, said)}: ${point}, because ${because} (message ${seq})`),
    ),
    ...(message.withdrawn ?? []).map(({ claim, because }) =>
      bullet(`withdrew claim ${claim}, because ${because} (message ${seq})`),
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

/** A point that a tool confirmed was not given up, and one that it refuted was. */
function settledText(point: string | undefined, said: Said[]): string {
  const outcomes = said.flatMap(({ message }) =>
    (message.hypotheses ?? [])
      .filter(
        ({ claim, outcome }) => claim !== undefined && isSame(claim, point) && outcome !== "open",
      )
      .map(({ outcome }) => outcome),
  );
  const last = outcomes.at(-1);
  return last === undefined ? "settled" : `settled, ${last} by a tool`;
}

function isSame(one: string, other = ""): boolean {
  return normalized(one) === normalized(other);
}

function hypothesisLines({ seq, message }: Said): string[] {
  return (message.hypotheses ?? []).map(({ claim, tool, outcome, evidence }) =>
    bullet(
      `${outcome}: ${asPart(claim ?? "")}. ${message.from} checked with ${asPart(tool ?? "")}: ` +
        `${asPart(evidence ?? "not yet")} (message ${seq})`,
    ),
  );
}

function claimLines(said: Said[]): string[] {
  return said.flatMap(({ seq, message }) =>
    (message.claims ?? []).map(({ text = "", check = "" }, index) => {
      const id = `C${seq}.${index + 1}`;
      const result = withdrawnText(id, message.from, said) ?? checkText(id, message.from, said);
      return bullet(`${id} ${message.from}: ${asPart(text)} [${asPart(check)}] ${result}`);
    }),
  );
}

/** The newest check counts, and only one by another than the claim's author. */
function checkText(id: string, author: string, said: Said[]): string {
  const checks = said
    .filter(({ message }) => message.from !== author)
    .flatMap(({ message }) => (message.checks ?? []).map((it) => ({ ...it, by: message.from })))
    .filter(({ claim }) => claim === id);
  const last = checks.at(-1);
  if (last === undefined) return "NOT re-run by anybody";
  const again = checks.length > 1 ? ", corrected" : "";
  return `${last.outcome}, re-run by ${last.by}${again}: ${asPart(last.evidence ?? "")}`;
}

function withdrawnText(id: string, author: string, said: Said[]): string | undefined {
  const found = said
    .filter(({ message }) => message.from === author)
    .flatMap(({ message }) => message.withdrawn ?? [])
    .find(({ claim }) => claim === id);
  return found === undefined ? undefined : `withdrawn: ${asPart(found.because ?? "")}`;
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
