import { inline, type JsonObject } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import { plural } from "../base/plural.ts";
import type { LogEvent } from "../log/event.ts";
import { modeWord } from "../protocol/config.ts";
import type { Report, ReportSection, ReportWants, Today } from "../protocol/protocol.ts";
import { auditOf, ownersOf, saidOf, standingOf } from "./audit.ts";
import { closingFaults } from "./ending.ts";
import { marksOf } from "./marks.ts";
import { openLines } from "./obligations.ts";
import { isSamePosition } from "./positions.ts";
import {
  auditSection,
  dissentSection,
  evidenceSections,
  positionSections,
} from "./report-evidence.ts";
import { asPart, bold, bullet, cutText, newest, pointsSection, quoted } from "./report-lines.ts";
import {
  type Claim,
  type Consensus,
  type DialogueState,
  type Escalation,
  goalOf,
  otherThan,
  stallText,
} from "./state.ts";
import {
  decisionRecord,
  journeyLine,
  journeysIn,
  type Story,
  storyOf,
  type ToldMessage,
} from "./story.ts";
import { verdictOf } from "./verdict.ts";

/**
 * The user report, for anyone who has three minutes: the verdict and the decision, what that rests on,
 * what fell, what was assumed, who changed and why, what speaks against it; and, to be looked up,
 * everything that was said (seed 003: rounds, summary, what each side revised or accepted).
 */
export function report(
  state: DialogueState,
  events: readonly LogEvent[],
  { before, today, delivery }: Omit<ReportWants<DialogueState>, "files">,
): Report {
  const story = storyOf(state, events);
  const { said } = story;
  const stale = today.changed.map(({ claim }) => claim);
  const filled = (sections: ReportSection[]) => sections.filter(({ lines }) => lines.length > 0);
  const discarded = said.flatMap(({ message }) => message.tried_and_discarded ?? []);
  const journeys = delivery ? newest(journeysIn(events, before)) : { untold: [], items: [] };
  return {
    title: state.topic,
    verdict: [verdictOf(state, stale).line, ...closingFaults(state)].join("; "),
    facts: [],
    sections: filled([
      ...endSections(state, story),
      ...evidenceSections(state, today, story),
      auditSection(state),
      ...positionSections(state, said),
      dissentSection(state),
    ]),
    marks: marksOf(state).map(({ text }) => text),
    appendix: filled([
      { heading: "The session", lines: sessionLines(state, said) },
      pointsSection("Agreed", state.agreements.map(bullet)),
      ...state.participants.map((name) => revisionSection(state, name, said)),
      pointsSection(
        "Discarded on the way",
        discarded.map(({ approach, reason }) => bullet(`${approach}: ${reason}`)),
      ),
      { heading: "Messages", lines: messageLines(said) },
      { heading: "Delivery", lines: [...journeys.untold, ...journeys.items.map(journeyLine)] },
    ]),
    ...defined({ record: decisionRecord(state) }),
    data: reportData(state, today, stale),
  };
}

function endSections(state: DialogueState, story: Story): ReportSection[] {
  const { outcome } = state;
  const question = { heading: "Question", lines: quoted(goalOf(state)) };
  const person = personSections(state);
  if (outcome?.kind === "consensus")
    return [...person, decisionSection(state, outcome, story), question];
  if (outcome?.kind === "escalated") return [...person, ...escalationSections(state, outcome)];
  return [question, pointsSection("Still open", openLines(state).map(bullet))];
}

/** What the person decided, and how they judged it later; it precedes what models recommended. */
function personSections({ person: { decided, judged } }: DialogueState): ReportSection[] {
  const because = judged?.because ? `: ${asPart(judged.because)}` : "";
  const verdict = judged && `What became of it, in the user's word: ${judged.says}${because}`;
  const later = verdict === undefined ? [] : ["", verdict];
  if (decided !== undefined)
    return [{ heading: "Decided by the user", lines: [...quoted(decided.text), ...later] }];
  return [{ heading: "What became of it", lines: later.slice(1) }];
}

/** The decision: its position in bold where both accepted one, then its text and who accepted it. */
function decisionSection(
  state: DialogueState,
  { agreed, by, seq }: Consensus,
  { said, text }: Story,
): ReportSection {
  const { person, id } = state;
  const isOwners = ownersOf(state).length > 0;
  const isLeft = isOwners && person.decided === undefined;
  const heading = isOwners ? "Recommendation" : "Decision";
  const way = isLeft ? ["", wayToDecide(id)] : [];
  if (agreed === undefined) return { heading, lines: [...quoted(text), ...way] };
  // The words that the confirming message adds to its yes.
  const words = said.find((it) => it.seq === agreed.seq)?.message.question_or_proposal.content;
  const saying = words ? `, saying ${inline(words)}` : "";
  const whose = `Both accepted it: ${by} wrote this text (message ${seq}), ${agreed.by} confirmed it (message ${agreed.seq})${saying}`;
  return { heading, lines: [bold(agreed.position), "", ...quoted(text), "", whose, ...way] };
}

function wayToDecide(id: string): string {
  return `To put your decision on record, at a terminal: decide --session ${id} "..."`;
}

/** What the user must decide: the goal, each position, the point of disagreement (seed 003). */
function escalationSections(
  { id, sides, person }: DialogueState,
  { disagreement, reasons, goal, positions }: Escalation,
): ReportSection[] {
  const isAmongReasons = reasons.some(({ text }) => text === disagreement);
  const point = bullet(`point of disagreement: ${cutText(disagreement)}`);
  const why = reasons.map(({ code, text }) => bullet(`why you: ${code}: ${asPart(text)}`));
  const lines = ["The original goal:", "", ...quoted(goal), ""];
  const points = isAmongReasons ? why : [point, ...why];
  const isDecided = person.decided !== undefined;
  const heading = isDecided ? "What was left to you" : "What you must decide";
  const way = isDecided ? [] : ["", wayToDecide(id)];
  return [
    { heading, lines: [...lines, ...points, ...way] },
    ...positions.map(({ participant, position, confidence }) => {
      const short = sides[participant]?.held.position ?? "";
      const parts = [
        short === "" ? [] : [bold(short)],
        position === "" ? ["No position was stated."] : [],
        position === short ? [] : quoted(position),
        confidence === undefined ? [] : [`(self-reported confidence ${confidence})`],
      ];
      const lines = parts.flatMap((part) => (part.length === 0 ? [] : ["", ...part])).slice(1);
      return { heading: `Position of ${participant}`, lines };
    }),
  ];
}

function sessionLines(state: DialogueState, said: readonly ToldMessage[]): string[] {
  const { id, mode, participants, startedAt, actedAt, rules, sides } = state;
  // Of all messages, also those that are too old to be told.
  const sent = participants.reduce((sum, name) => sum + (sides[name]?.sentCount ?? 0), 0);
  const sureness = participants.map((name) => {
    const trail = said.flatMap(({ message: { from, confidence } }) =>
      from === name && confidence !== undefined ? [confidence] : [],
    );
    const { untold, items } = newest(trail);
    const before = untold.length > 0 ? "..., " : "";
    return `Self-reported confidence of ${name}: ${before}${items.join(", ") || "none given"}`;
  });
  return [
    `Session ${id}, mode ${modeWord(mode)}, ${participants.join(" and ")}, ${startedAt} to ${actedAt}`,
    `${plural(state.round, "round")} of at most ${rules.max_rounds}, ${plural(sent, "message")}, stall limit ${stallText(state)} at the end`,
    ...sureness,
  ].map(bullet);
}

/** What a side revised or accepted, with what caused it. */
function revisionSection(
  state: DialogueState,
  name: string,
  said: readonly ToldMessage[],
): ReportSection {
  const own = said.filter(({ message }) => message.from === name);
  const lines = own.flatMap(({ seq, message }) => {
    const { progress = [], resolved = [], withdrawn = [], synthesis } = message;
    const accepted = progress.filter(({ kind }) => kind === "accepted");
    return [
      ...accepted.map(({ point }) => `accepted: ${point}`),
      ...resolved.map(({ point, because }) => `settled: ${point}, because ${because}`),
      ...withdrawn.map(({ claim, because }) => `withdrew claim ${claim}, because ${because}`),
      ...(synthesis === undefined ? [] : [`synthesis: ${synthesis}`]),
    ].map((line) => bullet(`${line} (message ${seq})`));
  });
  const nothing = state.outcome?.kind === "consensus" ? [] : [bullet("nothing")];
  const heading = `What ${name} revised or accepted from ${otherThan(state, name)}`;
  return pointsSection(heading, lines.length > 0 ? lines : nothing);
}

/** The newest messages in full, after how many there are before them. */
function messageLines(said: readonly ToldMessage[]): string[] {
  const asked = new Map<string, string>();
  for (const { seq, message } of said)
    for (const [at, text] of (message.question_or_proposal.specific_questions ?? []).entries())
      asked.set(`Q${seq}.${at + 1}`, text);
  const { untold, items } = newest(said);
  const inFull = items.flatMap(({ seq, message }) => {
    const { from, type, confidence, position = "", synthesis = "" } = message;
    const sure = confidence === undefined ? "" : ` (${confidence})`;
    const isTold = position === "" || isSamePosition(position, synthesis);
    const parts = [
      message.question_or_proposal.content,
      ...(message.answers ?? []).map(({ question, answer }) => {
        const text = asked.get(question);
        return `answers ${question}${text === undefined ? "" : ` (${text})`}: ${answer}`;
      }),
      ...(message.objections ?? []).map((it) => `objects: ${it.point}, because ${it.because}`),
      ...(synthesis === "" ? [] : [`synthesis: ${synthesis}`]),
    ];
    return [
      bullet(
        `message ${seq}, ${from} ${type}${sure}${isTold ? "" : `, position: ${asPart(position)}`}`,
      ),
      ...parts.flatMap((text) => ["", ...quoted(cutText(text))]),
      "",
    ];
  });
  return [...untold, ...inFull];
}

/** What a report says, for programs: the same facts under stable names. */
function reportData(state: DialogueState, today: Today, stale: readonly string[]): JsonObject {
  const { outcome, claims, flips, firsts, reservations, person } = state;
  const { line: _, ...verdict } = verdictOf(state, stale);
  const { agreed, decision } =
    outcome?.kind === "consensus" ? outcome : { agreed: undefined, decision: "" };
  return {
    verdict,
    decision: { position: agreed?.position ?? "", text: agreed?.text ?? decision },
    claims: claims.map((claim) => claimData(state, claim, today)),
    audit: auditOf(state) ?? null,
    ...{ changes: flips, first_answers: firsts, reservations, marks: marksOf(state) },
    decided: person.decided ?? null,
    outcome: person.judged ?? null,
  };
}

function claimData(state: DialogueState, claim: Claim, { looked, changed }: Today) {
  const { id, by, text, spec, expect, withdrawn, records, outcome, kept } = claim;
  const isChanged = changed.some((it) => it.claim === id);
  return {
    ...{ id, by, text, spec, expect, withdrawn },
    since: isChanged ? "changed" : looked.includes(id) ? "same" : "",
    status: standingOf(state, claim).status,
    evidence: records.map(({ by, seq, met }) => ({ id: `E${seq}`, by, met })),
    says: outcome ?? null,
    audit: saidOf(state, claim) ?? null,
    kept: kept ?? null,
  };
}
