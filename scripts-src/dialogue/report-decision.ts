import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { ReportSection } from "../protocol/protocol.ts";
import { type Said, solutionIn } from "./report-story.ts";
import { asPart, bold, bullet, pointsSection, quoted, section } from "./report-words.ts";
import { type DialogueState, type Outcome, otherThan } from "./state.ts";
import { isSeen, standsOf } from "./trust.ts";

/** What the person decided; before what models recommended or could not settle. */
export function personSections({ person }: DialogueState): ReportSection[] {
  const { decided, judged } = person;
  const because = judged?.because ? `: ${asPart(judged.because)}` : "";
  const since =
    judged === undefined
      ? []
      : ["", `What became of it, in the user's word: ${judged.says}${because}`];
  if (decided === undefined)
    return judged === undefined ? [] : [section("What became of it", since.slice(1))];
  return [section("Decided by the user", [...quoted(decided.text), ...since])];
}

/** The decision in one bold sentence, and its text. */
export function decisionSections(
  { trust, person, id }: DialogueState,
  outcome: Extract<Outcome, { kind: "consensus" }>,
  said: Said[],
): ReportSection[] {
  const { agreed } = outcome;
  const text = agreed?.text ?? solutionIn(said, outcome) ?? outcome.decision;
  const heading = trust.owner.length > 0 ? "Recommendation" : "Decision";
  const isLeft = trust.owner.length > 0 && person.decided === undefined;
  const way = isLeft ? ["", wayToDecide(id)] : [];
  if (agreed === undefined)
    return [{ ...section(heading, [...quoted(text), ...way]), judges: true }];
  const words = confirmingWords(said, agreed.seq);
  const whose = `Both accepted it: ${outcome.by} wrote this text (message ${outcome.seq}), ${agreed.by} confirmed it (message ${agreed.seq})${words}`;
  const lines = [bold(agreed.position), "", ...quoted(text), "", whose, ...way];
  return [{ ...section(heading, lines), judges: true }];
}

/** Whoever confirms may say more than yes, in any language. */
function confirmingWords(said: readonly Said[], seq: number): string {
  const words = said.find((it) => it.seq === seq)?.message.question_or_proposal.content ?? "";
  return words === "" ? "" : `, saying ${inline(words)}`;
}

function wayToDecide(id: string): string {
  return `To put your decision on record, at a terminal: decide --session ${id} "..."`;
}

/** What the user must decide: seed 003's goal, positions and point, and what would settle it. */
export function escalationSections(
  state: DialogueState,
  outcome: Extract<Outcome, { kind: "escalated" }>,
  said: Said[],
): ReportSection[] {
  const { disagreement, reasons, goal } = outcome;
  const isOwn = reasons.some(({ text }) => text === disagreement);
  const why = reasons.map(({ code, text }) => bullet(`why you: ${code}: ${asPart(text)}`));
  return [
    section("What you must decide", [
      "The original goal:",
      "",
      ...quoted(goal),
      "",
      ...(isOwn ? [] : [bullet(`point of disagreement: ${cutDispute(disagreement)}`)]),
      ...why,
      "",
      wayToDecide(state.id),
    ]),
    ...outcome.positions.map((it) => positionSection(state, it, said)),
    pointsSection("The cheapest experiment", [experimentLine(state)]),
  ];
}

function positionSection(
  state: DialogueState,
  {
    participant,
    position,
    confidence,
  }: { participant: string; position: string; confidence?: number },
  said: Said[],
): ReportSection {
  const { stance } = state.sides[participant] ?? { stance: { position: "", seq: 0 } };
  const short = stance.position;
  return section(`Position of ${participant}`, [
    ...(short === "" ? [] : [bold(short), ""]),
    ...(position === "" ? ["No position was stated."] : []),
    ...(position === short ? [] : quoted(position)),
    ...(confidence === undefined ? [] : [`(self-reported confidence ${confidence})`]),
    "",
    bullet(`best argument: ${bestArgument(state, participant, said)}`),
    bullet(`what would change its mind: ${changeOfMind(state, participant, said)}`),
  ]);
}

/** A claim that both have seen; else what its peer granted it; else its own objection. */
function bestArgument(state: DialogueState, name: string, said: Said[]): string {
  const standing = state.trust.claims.filter((it) => it.by === name && standsOf(it));
  const seen = standing.findLast(isSeen);
  if (seen !== undefined) return `${seen.id}, seen by both: ${asPart(seen.text)}`;
  const other = otherThan(state, name);
  const granted = said.findLast(
    (it) => it.message.from === other && it.message.acknowledged?.length,
  );
  const point = granted?.message.acknowledged?.at(-1);
  if (granted !== undefined && point !== undefined)
    return `${other} grants it (message ${granted.seq}): ${asPart(point)}`;
  const claim = standing.at(-1);
  if (claim !== undefined) return `${claim.id}, not seen by both: ${asPart(claim.text)}`;
  const objection = lastObjection(name, said);
  return objection === undefined
    ? "it gave none beside its position"
    : `it objects: ${asPart(objection.point ?? "")}, because ${asPart(objection.because ?? "")}`;
}

function changeOfMind(state: DialogueState, name: string, said: Said[]): string {
  const claim = state.trust.claims.findLast((it) => it.by === name && standsOf(it));
  if (claim !== undefined) return `${claim.id} found not to hold: ${asPart(claim.text)}`;
  const objection = lastObjection(name, said);
  if (objection !== undefined)
    return `an answer to its objection: ${asPart(objection.point ?? "")}`;
  return "it named nothing that a look could settle";
}

function lastObjection(name: string, said: Said[]) {
  return said.findLast((it) => it.message.from === name && it.message.objections?.length)?.message
    .objections?.[0];
}

/** The open claim that is quickest to look at: lines, then a search, then a command. */
function experimentLine({ trust, hypotheses }: DialogueState): string {
  const open = trust.claims.filter((it) => standsOf(it) && !isSeen(it) && it.spec !== "");
  const cost = (spec: string) =>
    /:\d+(?:-\d+)?$/.test(spec) ? 0 : spec.startsWith("find ") ? 1 : 2;
  const [first] = [...open].sort((one, other) => cost(one.spec) - cost(other.spec));
  if (first !== undefined) {
    const look = cost(first.spec) === 2 ? "run" : cost(first.spec) === 1 ? "search:" : "open";
    return bullet(
      `${look} [${asPart(first.spec)}]: it shows whether ${first.id} of ${first.by} holds: ${asPart(first.text)}`,
    );
  }
  const fact = hypotheses.at(-1);
  if (fact !== undefined) return bullet(`nobody has checked: ${asPart(fact.claim)}`);
  return bullet("none: nothing that is still disputed was put as a claim that a script can check");
}

/** Of many disputed points the first; a report is for a person. */
function cutDispute(text: string): string {
  const max = limits.quoteCharacters;
  return text.length > max
    ? `${text.slice(0, max).toWellFormed()}... (the rest: see the log)`
    : text;
}
