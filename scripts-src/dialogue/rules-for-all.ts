import { inline, type JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { type Judgement, newAgreements } from "./assess.ts";
import { normalized } from "./prose.ts";
import { roundMax } from "./rounds.ts";
import type { ObligationCode } from "./state.ts";

/** What a message lacks, in words and as what gives it: forms are completed by it, rejections show it. */
export interface Lack {
  readonly reason: string;
  /** Fields, with blanks where their words are the sender's. */
  readonly add?: JsonObject;
  /** Claims that its sender has to look at before; "" for any look of its own. */
  readonly looks?: readonly string[];
}

/** A rule says what is wrong with an attempt and what to do, or nothing. */
export type Rule = (attempt: Judgement) => Lack | string | undefined | false;

/** What binds every message, also one by hand. */
export const rulesForAll: Rule[] = [
  function roundGoesOn({ state, draft, foreign }) {
    const { round } = draft;
    if (round === undefined) return false;
    // A colleague that counted faster does not shut out one that counts as we do.
    const least = Math.min(state.lastRound, state.round);
    // What a round is the original files never say: one that counts slower is heard as well.
    if (round < least && !foreign)
      return `round is ${round}, but the session is at ${least}; leave round out`;
    const most = roundMax(state, foreign);
    return (
      round > most &&
      `round is ${round}, but the next message is of round ${most} at most; leave round out`
    );
  },
  function agreementsOnlyGrow({ state, draft, foreign }) {
    // What ends a session by hand ends it: the list is kept all the same.
    const ends = foreign && ["CONSENSUS", "ESCALATE"].includes(draft.type);
    if (draft.agreements_so_far === undefined || ends) return false;
    const kept = new Set(draft.agreements_so_far.map(normalized));
    const lost = state.agreements.find((point) => !kept.has(normalized(point)));
    return (
      lost !== undefined &&
      `agreements_so_far drops ${inline(lost)}; agreements only grow: leave the field out to keep them all`
    );
  },
  function consensusAddsNothing(attempt) {
    // A colleague by hand closes as the original files say; what is open then is told with it.
    if (attempt.draft.type !== "CONSENSUS" || attempt.foreign) return false;
    const [added] = newAgreements(attempt);
    if (added !== undefined)
      return `CONSENSUS adds ${inline(added)}, which your peer never saw; use EVALUATE`;
    const { draft } = attempt;
    const open = draft.disagreements_pending?.[0];
    if (open !== undefined)
      return `CONSENSUS lists ${inline(open)} as pending; use EVALUATE to reopen it`;
    const brought = (["objections", "claims", "synthesis", "needs_user"] as const).find((field) =>
      Array.isArray(draft[field]) ? draft[field].length > 0 : draft[field] !== undefined,
    );
    const asks = (draft.question_or_proposal.specific_questions ?? []).length > 0;
    const field = brought ?? (asks ? "specific_questions" : undefined);
    return (
      field !== undefined &&
      `CONSENSUS closes and brings nothing new, but ${field} came; use EVALUATE`
    );
  },
  function openPointsBounded({ state, draft, assessment }) {
    const open = (...codes: ObligationCode[]) =>
      state.obligations.filter(({ code }) => codes.includes(code)).length;
    const questions = open("answer") + (draft.question_or_proposal.specific_questions ?? []).length;
    // Both sides may have to look at a fact.
    const facts = 2 * (assessment.facts ?? []).length;
    const claims = open("check", "look") + (draft.claims ?? []).length + facts;
    const many = Math.max(questions, claims) > limits.listItems;
    return (
      many && `more than ${limits.listItems} questions or claims would be open; settle some first`
    );
  },
];
