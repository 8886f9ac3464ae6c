import { inline } from "../base/json.ts";
import type { Payoff } from "../protocol/protocol.ts";
import { isSeen, isValid, seenBy, validClaims } from "./claims.ts";
import { isSamePosition } from "./positions.ts";
import { type Claim, type DialogueState, hasEnded } from "./state.ts";

type VerdictCode =
  | "seen"
  | "assumed"
  | "judgement"
  | "recommendation"
  | "undecided"
  | "escalated"
  | "open";

/** What a session came to, in the words that every place uses. */
interface Verdict {
  readonly code: VerdictCode;
  /** One line: the same in status, solution, report, earlier decisions and the brain. */
  readonly words: string;
  /** Valid claims, how many of them both sides have seen, and the rest. */
  readonly claims: number;
  readonly seen: number;
  readonly assumed: number;
  /** Why it is the user's to decide; "" where nobody says so. */
  readonly owner: string;
  /** What became of it since. */
  readonly remarks: readonly string[];
  /** The words with the remarks. */
  readonly line: string;
}

/** The only place that says what a decision is worth; `stale`: claims whose lines have changed since. */
export function verdictOf(state: DialogueState, stale: readonly string[] = []): Verdict {
  const valid = validClaims(state);
  const claims = valid.length;
  const seen = valid.filter(isSeen).length;
  const [code, words] = wordsOf(state, valid, seen);
  const remarks = remarksOn(state, valid, stale);
  const line = [words, ...remarks].join("; ");
  return {
    code,
    words,
    claims,
    seen,
    assumed: claims - seen,
    owner: ownerText(state),
    remarks,
    line,
  };
}

function wordsOf(
  { outcome, owner }: DialogueState,
  valid: readonly Claim[],
  seen: number,
): [code: VerdictCode, words: string] {
  if (outcome === undefined) return ["open", "OPEN"];
  if (outcome.kind === "closed") return ["undecided", "NOT DECIDED"];
  if (outcome.kind === "escalated") return ["escalated", "ESCALATED"];
  if (owner.length > 0) return ["recommendation", "RECOMMENDATION, yours to decide"];
  if (!valid.some((it) => seenBy(it).length > 0))
    return ["judgement", "CONSENSUS on judgement, nothing was checked"];
  const counted = `CONSENSUS, ${seen} of ${valid.length} claims seen`;
  if (seen === valid.length) return ["seen", counted];
  return ["assumed", `${counted}, ${valid.length - seen} assumed`];
}

const whys: Record<DialogueState["owner"][number]["kind"], string> = {
  spend: "spends money",
  licence: "is about a licence",
  destructive: "destroys something",
  publish: "publishes something",
  taste: "is a matter of taste",
  "user's words": "holds a word of yours",
};

function ownerText({ owner }: DialogueState): string {
  return owner
    .map(({ by, kind, words }) =>
      by === "user"
        ? `the question holds ${inline(words, 80)}, a word of yours`
        : `${by} says that it ${whys[kind]}`,
    )
    .join("; ");
}

const judgedWords = { kept: "kept", changed: "changed since", wrong: "found wrong" };

function remarksOn(
  { outcome, person: { decided, judged } }: DialogueState,
  valid: readonly Claim[],
  stale: readonly string[],
): string[] {
  const isStale = outcome?.kind === "consensus" && valid.some(({ id }) => stale.includes(id));
  return [
    ...(decided === undefined ? [] : ["decided by the user"]),
    ...(judged === undefined ? [] : [`${judgedWords[judged.says]}, says the user`]),
    ...(isStale ? ["rests on lines that have changed since"] : []),
  ];
}

/** What a session that has ended says of whether the second side paid; nothing of others. */
export function payoff(state: DialogueState): Payoff | undefined {
  const { outcome, person, claims } = state;
  if (!hasEnded(state) || outcome === undefined || outcome.kind === "closed") return undefined;
  return {
    decided: outcome.kind === "consensus" || person.decided !== undefined,
    changedFirst: changedFirst(state),
    fell: claims.filter((it) => !isValid(it)).length,
    judged: person.judged?.says,
  };
}

/** Undefined where nobody answered blind, or where nothing says what was decided. */
function changedFirst({ outcome, firsts, participants }: DialogueState): boolean | undefined {
  const agreed = outcome?.kind === "consensus" ? outcome.agreed?.position : undefined;
  const blind = firsts.filter((it) => it.blind && it.position !== "");
  const [first] = participants.flatMap((name) => blind.find(({ by }) => by === name) ?? []);
  if (agreed === undefined || first === undefined) return undefined;
  return !isSamePosition(first.position, agreed);
}
