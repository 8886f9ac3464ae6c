import type { JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { singleLine } from "../base/visible-text.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { blank } from "./blanks.ts";
import { isFactId, lookFor } from "./disputed-facts.ts";
import { evidenceId, newestFor } from "./evidence.ts";
import type { Claim } from "./evidence-state.ts";
import { wordings } from "./obligation-words.ts";
import { type DialogueState, type Obligation, otherThan, sideOf } from "./state.ts";

/** What meets obligations of one code, of a long list its beginning. */
export function wantedFor(state: DialogueState, own: readonly Obligation[]): Wanted {
  const [first] = own;
  if (first === undefined) return { fields: {}, looks: [] };
  const list = own.slice(0, limits.pointsShown);
  const { field } = wordings[first.code];
  switch (field) {
    case "answers": {
      const answers = list.map(({ id }) => ({ question: id, answer: blank.answer }));
      return { fields: { answers }, looks: [] };
    }
    case "checks":
      return checksFor(state, first.by, list);
    case "objections":
      return { fields: objection, looks: [] };
    case "self_check":
      return { fields: { self_check: blank.answer }, looks: [] };
    case "synthesis":
      return { fields: { synthesis: bridge(state, first.by) }, looks: [] };
    case "type":
      return { fields: {}, looks: [] };
  }
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
  const { stance, position } = sideOf(state, name);
  const first = state.trust.firsts.find(({ by }) => by === name)?.position ?? "";
  const isShort = stance.position.length <= limits.positionCharacters;
  return singleLine((isShort && stance.position) || first || position).slice(
    0,
    limits.positionCharacters,
  );
}

/** Fields, and the claims to look at before; "" for any look of a side's own. */
export interface Wanted {
  readonly fields: JsonObject;
  readonly looks: readonly string[];
}

/**
 * What a side can say of claims that it has not settled. Lines and searches it has to look at first, and a
 * disputed fact; a command needs the user's leave, so that there is a place for what kept it.
 */
function checksFor(state: DialogueState, by: string, unchecked: readonly { id: string }[]): Wanted {
  const ids = new Set(unchecked.map(({ id }) => id));
  const claims = state.trust.claims.filter(({ id }) => ids.has(id));
  const unseen = unseenIn(state, by, claims);
  const said = claims.filter(({ id }) => !unseen.includes(id)).map((it) => checkOf(state, by, it));
  const isUnlooked = (it: Claim) => isFactId(it.id) && lookFor(state, by, it) === undefined;
  const looks = [...unseen, ...(claims.some(isUnlooked) ? [""] : [])];
  const listOf = (name: string): JsonObject => {
    const entries = said.filter(({ field }) => field === name).map(({ entry }) => entry);
    return entries.length === 0 ? {} : { [name]: entries };
  };
  return { fields: { ...listOf("checks"), ...listOf("withdrawn") }, looks };
}

function checkOf(state: DialogueState, by: string, claim: Claim) {
  const { id } = claim;
  const isFact = isFactId(id);
  const isOwn = claim.by === by;
  const own = isFact ? lookFor(state, by, claim) : newestFor(state, by, claim);
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
    .filter((it) => isReadable(it) && newestFor(state, by, it) === undefined)
    .map(({ id }) => id);
}

function isReadable({ check }: Claim): boolean {
  const spec = parseCheckSpec(check);
  return !("fault" in spec) && spec.kind !== "run";
}
