import { inline } from "../base/json.ts";
import type { Payoff } from "../protocol/protocol.ts";
import { type Claim, isSeen, type OwnerCall, standingClaims, standsOf } from "./evidence-state.ts";
import { isSamePosition } from "./stance.ts";
import { type DialogueState, hasEnded } from "./state.ts";

export type VerdictCode =
  | "seen"
  | "assumed"
  | "judgement"
  | "recommendation"
  | "undecided"
  | "escalated"
  | "open";

/** What a session came to, in the words that every place uses. */
export interface Verdict {
  readonly code: VerdictCode;
  /** One line: the same in status, solution, report, earlier decisions and the brain. */
  readonly words: string;
  /** Claims that stand, how many of them both sides have seen, and the rest. */
  readonly claims: number;
  readonly seen: number;
  readonly assumed: number;
  /** Why it is the user's to decide; "" where nobody says so. */
  readonly owner: string;
  /** What became of it since. */
  readonly remarks: readonly string[];
}

/** What rests on lines that have changed since: ids of records or claims, such as E9 and C4.1. */
export interface SeenToday {
  readonly stale?: readonly string[];
}

/** The only place that says what a decision is worth. */
export function verdictOf(state: DialogueState, today: SeenToday = {}): Verdict {
  const standing = standingClaims(state.trust);
  const claims = standing.length;
  const seen = standing.filter(isSeen).length;
  const counts = { claims, seen, assumed: claims - seen, owner: ownerText(state) };
  const [code, words] = wordsOf(state, standing, seen);
  return { ...counts, code, words, remarks: remarksOn(state, standing, today) };
}

function wordsOf(
  state: DialogueState,
  standing: readonly Claim[],
  seen: number,
): [code: VerdictCode, words: string] {
  const { outcome, trust } = state;
  if (outcome === undefined) return ["open", "OPEN"];
  if (outcome.kind === "closed") return ["undecided", "NOT DECIDED"];
  if (outcome.kind === "escalated") return ["escalated", "ESCALATED"];
  if (trust.owner.length > 0) return ["recommendation", "RECOMMENDATION, yours to decide"];
  const looked = standing.some(({ records }) => records.some(({ met }) => met));
  if (standing.length === 0 || !looked)
    return ["judgement", "CONSENSUS on judgement, nothing was checked"];
  const counted = `CONSENSUS, ${seen} of ${standing.length} claims seen`;
  if (seen === standing.length) return ["seen", counted];
  return ["assumed", `${counted}, ${standing.length - seen} assumed`];
}

const whys: Record<OwnerCall["kind"], string> = {
  spend: "spends money",
  licence: "is about a licence",
  destructive: "destroys something",
  publish: "publishes something",
  taste: "is a matter of taste",
  "user's words": "holds a word of yours",
};

function ownerText({ trust: { owner } }: DialogueState): string {
  return owner
    .map(({ by, kind, words }) =>
      by === "user"
        ? `the question holds ${inline(words, 80)}, a word of yours`
        : `${by} says that it ${whys[kind]}`,
    )
    .join("; ");
}

function remarksOn(
  { outcome, person }: DialogueState,
  standing: readonly Claim[],
  { stale = [] }: SeenToday,
): string[] {
  const said = personRemarks(person);
  if (outcome?.kind !== "consensus") return said;
  const ids = new Set(stale);
  const moved = standing.filter(
    ({ id, records }) => ids.has(id) || records.some(({ seq }) => ids.has(`E${seq}`)),
  );
  return [...said, ...(moved.length === 0 ? [] : ["rests on lines that have changed since"])];
}

/** What the person has put on record since. */
function personRemarks({ decided, judged }: DialogueState["person"]): string[] {
  const words = { kept: "kept", changed: "changed since", wrong: "found wrong" };
  return [
    ...(decided === undefined ? [] : ["decided by the user"]),
    ...(judged === undefined ? [] : [`${words[judged.says]}, says the user`]),
  ];
}

/** What a session that has ended says of whether the second side paid; nothing of others. */
export function payoff(state: DialogueState): Payoff | undefined {
  const { outcome, person, trust } = state;
  if (!hasEnded(state) || outcome === undefined || outcome.kind === "closed") return undefined;
  return {
    decided: outcome.kind === "consensus" || person.decided !== undefined,
    changedFirst: changedFirst(state),
    fell: trust.claims.filter((it) => !standsOf(it)).length,
    judged: person.judged?.says,
  };
}

/** Undefined where nobody answered blind, or where nothing says what was decided. */
function changedFirst({ outcome, trust, participants }: DialogueState): boolean | undefined {
  const agreed = outcome?.kind === "consensus" ? outcome.agreed?.position : undefined;
  const blind = trust.firsts.filter((it) => it.blind && it.position !== "");
  const [first] = [...blind].sort(
    (one, other) => participants.indexOf(one.by) - participants.indexOf(other.by),
  );
  if (agreed === undefined || first === undefined) return undefined;
  return !isSamePosition(first.position, agreed);
}
