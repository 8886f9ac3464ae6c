import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { ReportSection } from "../protocol/protocol.ts";
import { isSeen, standsOf } from "./evidence-state.ts";
import { asPart, bold, bullet, pointsSection, quoted, section } from "./report-formatting.ts";
import { solutionIn, type ToldMessage } from "./report-story.ts";
import { type DialogueState, type Outcome, otherThan } from "./state.ts";

/** What the person decided, and how they judged it later; it precedes what models recommended. */
export function personSections({ person }: DialogueState): ReportSection[] {
  const { decided, judged } = person;
  const because = judged?.because ? `: ${asPart(judged.because)}` : "";
  const verdict = judged && `What became of it, in the user's word: ${judged.says}${because}`;
  if (decided === undefined)
    return verdict === undefined ? [] : [section("What became of it", [verdict])];
  const later = verdict === undefined ? [] : ["", verdict];
  return [section("Decided by the user", [...quoted(decided.text), ...later])];
}

/** The decision: its position in bold where both accepted one, then its text and who accepted it. */
export function decisionSections(
  { trust, person, id }: DialogueState,
  outcome: Extract<Outcome, { kind: "consensus" }>,
  said: ToldMessage[],
): ReportSection[] {
  const { agreed } = outcome;
  const text = agreed?.text ?? solutionIn(said, outcome) ?? outcome.decision;
  const heading = trust.owner.length > 0 ? "Recommendation" : "Decision";
  const isUndecided = trust.owner.length > 0 && person.decided === undefined;
  const way = isUndecided ? ["", wayToDecide(id)] : [];
  if (agreed === undefined) return [section(heading, [...quoted(text), ...way])];
  const words = confirmingWords(said, agreed.seq);
  const whose = `Both accepted it: ${outcome.by} wrote this text (message ${outcome.seq}), ${agreed.by} confirmed it (message ${agreed.seq})${words}`;
  const lines = [bold(agreed.position), "", ...quoted(text), "", whose, ...way];
  return [section(heading, lines)];
}

/** The words that the confirming message adds to its yes. */
function confirmingWords(said: readonly ToldMessage[], seq: number): string {
  const words = said.find((it) => it.seq === seq)?.message.question_or_proposal.content ?? "";
  return words === "" ? "" : `, saying ${inline(words)}`;
}

function wayToDecide(id: string): string {
  return `To put your decision on record, at a terminal: decide --session ${id} "..."`;
}

/** What the user must decide: the goal, each position, the point of disagreement (seed 003), and what would settle it. */
export function escalationSections(
  state: DialogueState,
  outcome: Extract<Outcome, { kind: "escalated" }>,
  said: ToldMessage[],
): ReportSection[] {
  const { disagreement, reasons, goal } = outcome;
  const isAmongReasons = reasons.some(({ text }) => text === disagreement);
  const why = reasons.map(({ code, text }) => bullet(`why you: ${code}: ${asPart(text)}`));
  return [
    section("What you must decide", [
      "The original goal:",
      "",
      ...quoted(goal),
      "",
      ...(isAmongReasons ? [] : [bullet(`point of disagreement: ${cutDispute(disagreement)}`)]),
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
  said: ToldMessage[],
): ReportSection {
  const short = state.sides[participant]?.stance.position ?? "";
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

/** The best there is of: a claim that both have seen, a point that its peer granted, a claim, an objection. */
function bestArgument(state: DialogueState, name: string, said: ToldMessage[]): string {
  const claims = state.trust.claims.filter((it) => it.by === name && standsOf(it));
  const seen = claims.findLast(isSeen);
  if (seen !== undefined) return `${seen.id}, seen by both: ${asPart(seen.text)}`;
  const other = otherThan(state, name);
  const granted = said.findLast(
    (it) => it.message.from === other && it.message.acknowledged?.length,
  );
  const point = granted?.message.acknowledged?.at(-1);
  if (granted !== undefined && point !== undefined)
    return `${other} grants it (message ${granted.seq}): ${asPart(point)}`;
  const claim = claims.at(-1);
  if (claim !== undefined) return `${claim.id}, not seen by both: ${asPart(claim.text)}`;
  const objection = lastObjection(name, said);
  return objection === undefined
    ? "it gave none beside its position"
    : `it objects: ${asPart(objection.point ?? "")}, because ${asPart(objection.because ?? "")}`;
}

function changeOfMind(state: DialogueState, name: string, said: ToldMessage[]): string {
  const claim = state.trust.claims.findLast((it) => it.by === name && standsOf(it));
  if (claim !== undefined) return `${claim.id} found not to hold: ${asPart(claim.text)}`;
  const objection = lastObjection(name, said);
  if (objection !== undefined)
    return `an answer to its objection: ${asPart(objection.point ?? "")}`;
  return "it named nothing that a look could settle";
}

function lastObjection(name: string, said: ToldMessage[]) {
  return said.findLast((it) => it.message.from === name && it.message.objections?.length)?.message
    .objections?.[0];
}

/** The open claim that is quickest to check. */
function experimentLine({ trust }: DialogueState): string {
  const open = trust.claims.filter((it) => standsOf(it) && !isSeen(it) && it.spec !== "");
  const quickest = waysToCheck
    .map((way) => ({ way, claim: open.find(({ spec }) => wayOf(spec) === way) }))
    .find(({ claim }) => claim !== undefined);
  if (quickest?.claim !== undefined) {
    const { id, by, spec, text } = quickest.claim;
    return bullet(
      `${quickest.way} [${asPart(spec)}]: it shows whether ${id} of ${by} holds: ${asPart(text)}`,
    );
  }
  return bullet("none: nothing that is still disputed was put as a claim that a script can check");
}

/** The quickest first. */
const waysToCheck = ["open", "search:", "run"] as const;

function wayOf(spec: string): (typeof waysToCheck)[number] {
  if (/:\d+(?:-\d+)?$/.test(spec)) return "open";
  return spec.startsWith("find ") ? "search:" : "run";
}

/** The beginning of a long list of disputed points: a person reads the report. */
function cutDispute(text: string): string {
  const max = limits.quoteCharacters;
  return text.length > max
    ? `${text.slice(0, max).toWellFormed()}... (the rest: see the log)`
    : text;
}
