import { inline, type JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { singleLine } from "../base/visible-text.ts";
import { blank } from "./blanks.ts";
import { evidenceId, isReading, newestFor } from "./claims.ts";
import { isFactId, recordOfFact } from "./facts.ts";
import { obligationsOf } from "./obligations.ts";
import {
  type Claim,
  type DialogueState,
  type Obligation,
  type ObligationCode,
  otherThan,
  sideOf,
} from "./state.ts";

interface Wording {
  /** The field of a message that meets it; of facts alone a look does as well. */
  readonly field: "answers" | "checks" | "objections" | "self_check" | "synthesis" | "type";
  /** What is rejected until it is met: every message, AGREE alone, or none. */
  readonly blocks: "message" | "agreement" | "nothing";
  /** To the side that has it, before what it is about. */
  readonly due: string;
  /** To anybody else, after the name of that side. */
  readonly open: string;
  /** How to meet it, where a message is rejected. */
  readonly way?: string;
}

export const waysToLook = "check --cite FILE:LINES, --find TEXT PATH or --run -- ARGV";

/** All that is said of an obligation, wherever it is said. */
export const wordings: Record<ObligationCode, Wording> = {
  answer: {
    ...{ field: "answers", blocks: "message", due: "unanswered:" },
    open: "has not answered",
  },
  synthesis: {
    ...{ field: "synthesis", blocks: "message" },
    due: "the positions differ: synthesis (one point of each side, equal to neither), or AGREE",
    open: "has offered no synthesis",
  },
  facts: {
    ...{ field: "synthesis", blocks: "message" },
    due: "the positions differ: a look by a script, in checks, or AGREE:",
    open: "has neither offered a synthesis nor looked at",
  },
  offer: {
    ...{ field: "objections", blocks: "message" },
    due: "answer the synthesis that is offered, by objections or by AGREE with accepts:",
    open: "has not answered the synthesis of message",
  },
  self_check: {
    ...{ field: "self_check", blocks: "message" },
    due: 'three rounds of nothing but objections: "am I defending a position or looking for the truth?"',
    open: "has not checked itself",
  },
  task: {
    ...{ field: "type", blocks: "message", due: "report on task" },
    open: "has not reported on task",
    way: "send type TASK_RESULT",
  },
  check: {
    ...{ field: "checks", blocks: "agreement", due: "check before AGREE:" },
    open: "has not re-checked",
    way: "run check --claim ID, or say not_run with a reason",
  },
  look: {
    ...{ field: "checks", blocks: "agreement", due: "look at the disputed fact before AGREE:" },
    open: "has not looked at the disputed fact",
    way: `run ${waysToLook}, or say not_run with a reason, or withdraw it`,
  },
  aside: {
    ...{ field: "answers", blocks: "nothing", due: "asked in running text, for answers:" },
    open: "answered nothing to",
  },
};

/** What a side has to do, one line for each kind; `way` says how as well. */
export function dueLines(own: readonly Obligation[], withWay = false): string[] {
  return groupsOf(own).map(({ code, list }) => {
    const { due, way } = wordings[code];
    const items = listFirst(list, itemText, (rest) => `and ${restText(rest)}`);
    const line = [due, items.join(", ")].join(" ").trim();
    return withWay && way !== undefined ? `${line}; ${way}` : line;
  });
}

/** The same for anybody else: what keeps the sides from an agreement, one line for each. */
export function openLines(state: DialogueState): string[] {
  return state.participants.flatMap((by) => {
    const open = obligationsOf(state, by).filter(({ code }) => wordings[code].blocks !== "nothing");
    return groupsOf(open).flatMap(({ code, list }) =>
      listFirst(list, openLine, (rest) => `${by} ${wordings[code].open} ${restText(rest)}`),
    );
  });
}

export function openLine({ code, by, id, text }: Obligation): string {
  const what = text === "" ? id : `${id}: ${inline(text)}`;
  return `${by} ${wordings[code].open} ${what}`.trim();
}

function itemText({ id, text, check }: Obligation): string {
  const words = text === "" ? "" : inline(text);
  return [id, words, check ? `by ${inline(check)}` : ""].filter((it) => it !== "").join(" ");
}

/** Each id says which message it is from: C2.13 is claim 13 of message 2. */
function restText(rest: readonly Obligation[]): string {
  return `${rest.length} more: ${idsShort(rest)} (whole messages: .consulta/archive)`;
}

function groupsOf(list: readonly Obligation[]) {
  return [...new Set(list.map(({ code }) => code))].map((code) => ({
    code,
    list: list.filter((it) => it.code === code),
  }));
}

/** One line for each of the first points, and one for all others together. */
export function listFirst<Point>(
  points: readonly Point[],
  lineOf: (point: Point) => string,
  moreOf: (rest: readonly Point[]) => string,
): string[] {
  const rest = points.slice(limits.pointsShown);
  const lines = points.slice(0, limits.pointsShown).map(lineOf);
  return rest.length === 0 ? lines : [...lines, moreOf(rest)];
}

/** Ids in few words: `Q2.1 to Q2.200, Q4.1`; their words are in the messages of these numbers. */
export function idsShort(points: readonly { id: string }[]): string {
  const runs: { first: string; last: string }[] = [];
  for (const { id } of points) {
    const run = runs.at(-1);
    if (run !== undefined && id === run.last.replace(/\d+$/, (at) => `${Number(at) + 1}`))
      run.last = id;
    else runs.push({ first: id, last: id });
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first} to ${last}`)).join(", ");
}

/** Fields, and the claims to look at before; "" for any look of a side's own. */
interface Wanted {
  readonly fields: JsonObject;
  readonly toCheck: readonly string[];
}

/** What meets obligations of one code, of a long list its beginning. */
export function wantedFor(state: DialogueState, own: readonly Obligation[]): Wanted {
  const [first] = own;
  if (first === undefined) return { fields: {}, toCheck: [] };
  const list = own.slice(0, limits.pointsShown);
  const { field } = wordings[first.code];
  if (field === "checks") return checksFor(state, first.by, list);
  const fields: Record<typeof field, () => JsonObject> = {
    answers: () => ({ answers: list.map(({ id }) => ({ question: id, answer: blank.answer })) }),
    objections: () => objection,
    self_check: () => ({ self_check: blank.answer }),
    synthesis: () => ({ synthesis: bridge(state, first.by) }),
    type: () => ({}),
  };
  return { fields: fields[field](), toCheck: [] };
}

/** An honest objection: what is right in it first. */
export const objection: JsonObject = {
  acknowledged: [blank.strong],
  objections: [{ point: blank.point, because: blank.because, about: blank.about }],
};

/** The beginning of a synthesis: both positions, with a place for what stays of each. */
function bridge(state: DialogueState, participant: string): string {
  const sides = [participant, otherThan(state, participant)];
  return sides.map((name) => `From '${heldBy(state, name)}': ${blank.kept}.`).join(" ");
}

/** What a side holds, in few words: of a synthesis that it offered, what it held first; by hand, what it said. */
function heldBy(state: DialogueState, name: string): string {
  const { held, position } = sideOf(state, name);
  const first = state.firsts.find(({ by }) => by === name)?.position ?? "";
  const max = limits.positionCharacters;
  const short = held.position.length <= max ? held.position : "";
  return singleLine(short || first || position).slice(0, max);
}

/**
 * What a side can say of claims that it has not settled. Lines and searches it has to look at first, and a
 * disputed fact; a command needs the user's leave, so that there is a place for what kept it.
 */
function checksFor(state: DialogueState, by: string, unchecked: readonly { id: string }[]): Wanted {
  const claims = state.claims.filter((claim) => unchecked.some(({ id }) => id === claim.id));
  const unseen = unseenIn(state, by, claims);
  const isUnlooked = (it: Claim) => isFactId(it.id) && recordOfFact(state, by, it) === undefined;
  const fields: Record<string, JsonObject[]> = {};
  for (const claim of claims.filter(({ id }) => !unseen.includes(id))) {
    const { field, entry } = checkOf(state, by, claim);
    fields[field] = [...(fields[field] ?? []), entry];
  }
  return { fields, toCheck: [...unseen, ...(claims.some(isUnlooked) ? [""] : [])] };
}

function checkOf(state: DialogueState, by: string, claim: Claim) {
  const { id } = claim;
  const isFact = isFactId(id);
  const isOwn = claim.by === by;
  const own = isFact ? recordOfFact(state, by, claim) : newestFor(state, by, claim);
  // Who finds its own fact refuted takes it back.
  if (own !== undefined && isOwn && !own.met)
    return { field: "withdrawn", entry: { claim: id, because: blank.because } };
  const seen = own && { outcome: own.met ? "holds" : "fails", evidence: evidenceId(own) };
  const unseen = isFact
    ? { outcome: isOwn ? blank.ownFact : blank.fact, reason: blank.shows }
    : { outcome: blank.outcome, reason: blank.notRun };
  return { field: "checks", entry: { claim: id, ...(seen ?? unseen) } };
}

/** Claims on lines and searches that a side has no record of: nobody needs leave to read. */
export function unseenIn(state: DialogueState, by: string, claims: readonly Claim[]): string[] {
  return claims
    .filter((it) => isReading(it.check) && newestFor(state, by, it) === undefined)
    .map(({ id }) => id);
}
