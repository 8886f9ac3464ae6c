import { inline } from "../base/json.ts";
import { isoSecond, millisecondsOf } from "../base/time.ts";
import { auditsMax } from "../protocol/audit.ts";
import type { ReportSection, Today } from "../protocol/protocol.ts";
import { auditOf, claimSayings, decisionSayings, standingOf } from "./audit.ts";
import { changedIn, changedText, isMadeByConsult, isSeen, isValid, validClaims } from "./claims.ts";
import { readBecause } from "./positions.ts";
import { asPart, bold, bullet, type Detailed, pointsSection } from "./report-lines.ts";
import type { Claim, DialogueState, Flip } from "./state.ts";
import { linesSeen, notCommitted, type Story, type ToldMessage } from "./story.ts";
import { onlySaid, verdictOf } from "./verdict.ts";

/** What the decision rests on, what fell on the way, and what was only assumed. */
export function evidenceSections(
  state: DialogueState,
  today: Today,
  story: Story,
): ReportSection[] {
  const valid = validClaims(state);
  const detailed = (claim: Claim): Detailed => {
    const more = notCommitted(claim, story);
    const line = `${claimText(claim)}: ${looksText(claim, state, today)}`;
    return {
      line: bullet(more === "" ? line : `${line}; ${more}`),
      below: [...linesSeen(claim, story), ...claimSayings(state, claim).map((it) => `  - ${it}`)],
    };
  };
  const seen = valid.filter((it) => standingOf(state, it).status === "seen");
  const assumed = valid.filter((it) => !seen.includes(it));
  // Of an agreement it is told that nobody looked, or not both.
  const nothing =
    valid.length === 0
      ? "judgement: nobody made a claim that a script could check"
      : `judgement and assumptions: no claim was seen by both${valid.some(isSeen) ? " and shown" : ""}`;
  const none = state.outcome?.kind === "consensus" ? [bullet(nothing)] : [];
  const { heading, lines } = pointsSection(
    "What it rests on",
    seen.length > 0 ? seen.map(detailed) : none,
  );
  const all = assumed.length === 0 ? ["Nothing is only assumed."] : [];
  const fell = state.claims.filter((it) => !isValid(it));
  return [
    { heading, lines: seen.length > 0 ? [...lines, "", whatSeenMeans, ...all] : lines },
    pointsSection(
      "What fell",
      fell.map((it) => bullet(`${claimText(it)}: ${fellText(it, state)}`)),
    ),
    pointsSection("Assumptions", assumed.map(detailed)),
    pointsSection("Only said", onlySaid(state).map(bullet)),
  ];
}

/** Who has read the decision and what it rests on, and what they say of the decision itself. */
export function auditSection(state: DialogueState): ReportSection {
  const audit = auditOf(state);
  const { cli, how, tokens } = audit ?? {};
  const cost = `about ${tokens?.in} tokens read, ${tokens?.out} written`;
  const by = `by ${cli} in a fresh process that saw only the evidence (${how}); ${cost}`;
  const isOpen = state.outcome?.kind === "consensus" && verdictOf(state).seen > 0;
  const way = state.audits < auditsMax ? `at a terminal: audit --session ${state.id}` : "twice";
  const none = `nobody who saw only the evidence has read what was agreed; ${way}`;
  const lines = audit === undefined ? (isOpen ? [none] : []) : [by, ...decisionSayings(state)];
  return pointsSection("Audit", lines.map(bullet));
}

const whatSeenMeans =
  "Seen: for each side a script found the expected words there. Whether they show what the claim says is for you to compare.";

function claimText({ id, by, text, spec, expect, disputed }: Claim): string {
  const wanted = expect === "" ? "" : `, expects ${JSON.stringify(expect)}`;
  const how = spec === "" ? "" : ` [${asPart(spec)}${wanted}]`;
  const doubt =
    disputed === undefined
      ? ""
      : `, disputed by ${disputed.by}, because ${asPart(disputed.because)}`;
  return `${id} of ${by}: ${asPart(text)}${how}${doubt}`;
}

/** Who has a record that met what was expected, when, and which; and how that is today. */
function looksText(claim: Claim, state: DialogueState, today: Today): string {
  const { records, outcome } = claim;
  const met = records.filter(({ met }) => met);
  const failed = records.findLast(({ met }) => !met);
  const why =
    outcome?.says === "not_run" ? `; ${outcome.by} did not run it: ${asPart(outcome.reason)}` : "";
  if (met.length === 0)
    return failed === undefined
      ? `seen by nobody${why}`
      : `${failed.by} looked and did not find what was expected (E${failed.seq})${why}`;
  const made = met.filter(({ process }) => isMadeByConsult(process)).map(({ by }) => by);
  const whom = made.length > 1 ? "both" : made[0];
  const seen = met.map(({ by, seq }) => `${by} ${momentOf(seq, state)} (E${seq})`).join(" and ");
  const forWhom = whom === undefined ? "" : `, looked at by consult for ${whom}`;
  const oneProcess = ", in one process, which counts as one look";
  const isTwo = met.length > 1 && met[0]?.process !== met[1]?.process;
  const how = isTwo ? "" : met.length > 1 ? oneProcess : " only";
  return `seen by ${seen}${forWhom}${how}; ${todayText(claim, state, today)}${why}`;
}

function momentOf(seq: number, { evidence }: DialogueState): string {
  const at = evidence.find((it) => it.seq === seq)?.at;
  return at === undefined ? "earlier" : isoSecond(millisecondsOf(at));
}

function todayText(claim: Claim, { evidence }: DialogueState, { looked, changed }: Today): string {
  const { id, records } = claim;
  const files = changedIn(claim);
  const fault = changed.find(({ claim }) => claim === id);
  if (fault !== undefined) return `CHANGED since: ${fault.why}`;
  if (files.length > 0) return changedText(files);
  if (looked.includes(id)) return "unchanged today";
  const kinds = records.map(({ seq }) => evidence.find((it) => it.seq === seq)?.kind);
  return kinds.includes("run") ? "a command, not run again for this report" : "not looked at today";
}

function fellText({ by, withdrawn, outcome, records }: Claim, state: DialogueState): string {
  if (withdrawn !== "") return `withdrawn by ${by}: ${asPart(withdrawn)}`;
  const { by: who = "", reason = "" } = outcome ?? {};
  const why = reason === "" ? "" : `: ${asPart(reason)}`;
  const record = records.findLast((it) => it.by === who);
  if (record === undefined) return `${who} reports that it fails${why}`;
  const looked = `${who} looked ${momentOf(record.seq, state)} (E${record.seq})`;
  const came = record.met ? "and says that this does not show it" : "and it did not hold";
  return `${looked}, ${came}${why}`;
}

/** Who changed its position, from what, to what, because of what; and the first answers. */
export function positionSections(
  state: DialogueState,
  said: readonly ToldMessage[],
): ReportSection[] {
  const { flips, firsts, positions } = state;
  const changes = flips.map((flip) => {
    const { by, seq, from, to } = flip;
    const because = causeText(flip, state, said);
    return bullet(`${by}, message ${seq}: from "${asPart(from)}" to "${asPart(to)}", ${because}`);
  });
  const isHeld = firsts.length > 1 && positions.length > 0;
  const held = isHeld ? [bullet("nobody changed their position")] : [];
  const areBlind = firsts.length > 1 && firsts.every(({ blind }) => blind);
  const first = firsts.map(({ by, seq, position, blind }) => {
    if (said.some((it) => it.seq === seq && it.message.type === "AGREE"))
      return bullet(`${by}: none of its own before it agreed (message ${seq})`);
    const read = blind ? "" : ", after it had read the other's";
    return bullet(`${by}: ${bold(position)} (message ${seq}${read})`);
  });
  return [
    pointsSection("Who changed", changes.length > 0 ? changes : held),
    pointsSection(areBlind ? "Blind first answers" : "First answers", first),
  ];
}

/** Why a side changed its position: what the evidence looked at, and the words beside it. */
function causeText(
  { seq, evidence, judgement }: Flip,
  state: DialogueState,
  said: readonly ToldMessage[],
): string {
  if (evidence.length === 0)
    return judgement === "" ? "by a synthesis of both" : `on judgement: ${asPart(judgement)}`;
  const records = evidence.map((id) => {
    const spec = state.evidence.find((it) => `E${it.seq}` === id)?.spec;
    return spec === undefined ? id : `${id} (${asPart(spec)})`;
  });
  const because = said.find((it) => it.seq === seq)?.message.because ?? [];
  const beside = because.map(
    (it) => /^\s*(?:E\d{1,15}[\s,;:.]*)+(.*)$/s.exec(it)?.[1]?.trim() ?? "",
  );
  const words = [...beside, readBecause(because).judgement].filter((it) => it !== "").join("; ");
  return `because of ${records.join(", ")}${words === "" ? "" : `: ${inline(words)}`}`;
}

/** What still speaks against it, in the words of the participant that said it. */
export function dissentSection(state: DialogueState): ReportSection {
  const { outcome, reservations, disagreements } = state;
  // What was open holds the disputed points as well, each quoted.
  const open = (outcome?.kind === "consensus" ? outcome.open : []).filter(
    (line) => !disagreements.some(({ point }) => line.endsWith(`: ${inline(point)}`)),
  );
  return pointsSection("Reservations and dissent", [
    ...reservations.map(({ by, seq, text }) => bullet(`${by} (message ${seq}): ${text}`)),
    ...disagreements.map(({ point }) => bullet(`disputed to the end: ${point}`)),
    ...open.map((line) => bullet(`open when it was closed: ${line}`)),
  ]);
}
