import { inline } from "../base/json.ts";
import { isoSecond, millisecondsOf } from "../base/time.ts";
import type { ReportSection, Today } from "../protocol/protocol.ts";
import { isMadeByConsult } from "./evidence.ts";
import {
  type Claim,
  type First,
  isSeen,
  seenBy,
  standingClaims,
  standsOf,
  type Trust,
} from "./evidence-state.ts";
import { normalized } from "./prose.ts";
import { asPart, bold, bullet, detailedSection, pointsSection } from "./report-formatting.ts";
import { causeText, linesSeen, notCommitted, type Records } from "./report-records.ts";
import type { ToldMessage } from "./report-story.ts";
import type { DialogueState } from "./state.ts";

/** What the decision rests on, what fell on the way, and what was only assumed. */
export function evidenceSections(
  state: DialogueState,
  today: Today,
  records: Records,
): ReportSection[] {
  const { trust } = state;
  const standing = standingClaims(trust);
  const withLines = (claim: Claim, line: string) => ({
    line: asBullet(line, notCommitted(claim, records)),
    below: linesSeen(claim, records),
  });
  const seen = standing
    .filter(isSeen)
    .map((claim) => withLines(claim, seenLine(claim, trust, today)));
  const nothing = nothingSeen(state, standing).map((line) => ({ line, below: [] }));
  const rests = detailedSection("What it rests on", seen.length > 0 ? seen : nothing);
  const assumed = standing.filter((it) => !isSeen(it));
  const none = assumed.length === 0 ? ["Nothing is only assumed."] : [];
  const meaning = seen.length > 0 ? ["", whatSeenMeans, ...none] : [];
  return [
    { ...rests, lines: [...rests.lines, ...meaning] },
    pointsSection("What fell", [
      ...trust.claims.filter((it) => !standsOf(it)).map((it) => fellLine(it, trust)),
    ]),
    detailedSection(
      "Assumptions",
      assumed.map((it) => withLines(it, assumptionLine(it, trust, today))),
    ),
  ];
}

const whatSeenMeans =
  "Seen: for each side a script found the expected words there. Whether they show what the claim says is for you to compare.";

function asBullet(line: string, more: string): string {
  return bullet(more === "" ? line : `${line}; ${more}`);
}

/** Of an agreement it is told that nobody looked, or not both. */
function nothingSeen({ outcome }: DialogueState, standing: Claim[]): string[] {
  if (outcome?.kind !== "consensus") return [];
  return standing.length === 0
    ? [bullet("judgement: nobody made a claim that a script could check")]
    : [bullet("judgement and assumptions: no claim was seen by both")];
}

function claimText({ id, by, text, spec, check, expect, disputed }: Claim): string {
  const wanted = expect === "" ? "" : `, expects ${JSON.stringify(expect)}`;
  const looked = spec === "" ? check : spec;
  const how = looked === "" ? "" : ` [${asPart(looked)}${wanted}]`;
  const doubt =
    disputed === undefined
      ? ""
      : `, disputed by ${disputed.by}, because ${asPart(disputed.because)}`;
  return `${id} of ${by}: ${asPart(text)}${how}${doubt}`;
}

function seenLine(claim: Claim, trust: Trust, today: Today): string {
  return `${claimText(claim)}: seen by ${seenText(claim, trust)}; ${todayText(claim, trust, today)}`;
}

/** Who has a record that met what was expected, when, and which. */
function seenText(claim: Claim, trust: Trust): string {
  const met = claim.records.filter(({ met }) => met);
  const made = met.filter(({ process }) => isMadeByConsult(process)).map(({ by }) => by);
  const whom = made.length > 1 ? "both" : made[0];
  const seen = met.map(({ by, seq }) => `${by} ${momentOf(seq, trust)} (E${seq})`).join(" and ");
  return whom === undefined ? seen : `${seen}, looked at by consult for ${whom}`;
}

function momentOf(seq: number, { evidence }: Trust): string {
  const at = evidence.find((it) => it.seq === seq)?.at;
  return at === undefined ? "earlier" : isoSecond(millisecondsOf(at));
}

function todayText(
  { id, records }: Claim,
  { evidence }: Trust,
  { looked, changed }: Today,
): string {
  const fault = changed.find(({ claim }) => claim === id);
  if (fault !== undefined) return `CHANGED since: ${fault.why}`;
  if (looked.includes(id)) return "unchanged today";
  const kinds = records.map(({ seq }) => evidence.find((it) => it.seq === seq)?.kind);
  return kinds.includes("run") ? "a command, not run again for this report" : "not looked at today";
}

function fellLine(claim: Claim, trust: Trust): string {
  const { by, withdrawn, outcome } = claim;
  if (withdrawn !== "")
    return bullet(`${claimText(claim)}: withdrawn by ${by}: ${asPart(withdrawn)}`);
  const who = outcome?.by ?? "";
  const record = claim.records.findLast((it) => it.by === who);
  const looked = record && `${who} looked ${momentOf(record.seq, trust)} (E${record.seq})`;
  const saw =
    looked === undefined
      ? `${who} reports that it fails`
      : record?.met
        ? `${looked}, and says that this does not show it`
        : `${looked}, and it did not hold`;
  const why = outcome?.reason ? `: ${asPart(outcome.reason)}` : "";
  return bullet(`${claimText(claim)}: ${saw}${why}`);
}

function assumptionLine(claim: Claim, trust: Trust, today: Today): string {
  const { outcome, records } = claim;
  const who = seenBy(claim);
  const failed = records.findLast(({ met }) => !met);
  const one = records.filter(({ met }) => met).length > 1;
  const state = one
    ? `seen by ${seenText(claim, trust)}, in one process, which counts as one look; ${todayText(claim, trust, today)}`
    : who.length > 0
      ? `seen by ${seenText(claim, trust)} only; ${todayText(claim, trust, today)}`
      : failed === undefined
        ? "seen by nobody"
        : `${failed.by} looked and did not find what was expected (E${failed.seq})`;
  const why =
    outcome?.says === "not_run" ? `; ${outcome.by} did not run it: ${asPart(outcome.reason)}` : "";
  return `${claimText(claim)}: ${state}${why}`;
}

/** Who changed its position, from what, to what, because of what; and the first answers. */
export function positionSections(
  state: DialogueState,
  said: readonly ToldMessage[],
): ReportSection[] {
  const { flips, firsts, positions } = state.trust;
  const changes = flips.map((flip) => {
    const { by, seq, from, to } = flip;
    const because = causeText(flip, state.trust, said);
    return bullet(`${by}, message ${seq}: from "${asPart(from)}" to "${asPart(to)}", ${because}`);
  });
  const held =
    firsts.length > 1 && positions.length > 0 ? [bullet("nobody changed their position")] : [];
  return [
    pointsSection("Who changed", changes.length > 0 ? changes : held),
    pointsSection(
      firsts.length > 1 && firsts.every(({ blind }) => blind)
        ? "Blind first answers"
        : "First answers",
      firsts.map((it) => bullet(firstText(it, said))),
    ),
  ];
}

function firstText({ by, seq, position, blind }: First, said: readonly ToldMessage[]): string {
  const isAgree = said.some((it) => it.seq === seq && it.message.type === "AGREE");
  if (isAgree) return `${by}: none of its own before it agreed (message ${seq})`;
  const read = blind ? "" : ", after it had read the other's";
  return `${by}: ${bold(position)} (message ${seq}${read})`;
}

function distinctPoints(points: readonly string[]): string[] {
  return [...new Map(points.map((point) => [normalized(point), point])).values()];
}

/** What still speaks against it, in the words of the participant that said it. */
export function dissentSection(state: DialogueState): ReportSection {
  const { outcome, trust, dropped, disagreements } = state;
  const points = [...disagreements, ...dropped].map(({ point }) => point);
  const open = outcome?.kind === "consensus" ? outcome.open : [];
  const leftOut = (it: string) => dropped.find(({ point }) => normalized(point) === normalized(it));
  const disputed = distinctPoints(points).map((point) => {
    const letter = leftOut(point);
    if (letter === undefined) return bullet(`disputed to the end: ${point}`);
    return bullet(`left out by ${letter.by} without a reason (message ${letter.seq}): ${point}`);
  });
  return pointsSection("Reservations and dissent", [
    ...trust.reservations.map(({ by, seq, text }) => bullet(`${by} (message ${seq}): ${text}`)),
    ...disputed,
    // What was open holds the disputed points as well, each quoted.
    ...open
      .filter((line) => !points.some((point) => line.endsWith(`: ${inline(point)}`)))
      .map((line) => bullet(`open when it was closed: ${line}`)),
  ]);
}
