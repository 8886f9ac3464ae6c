import { inline } from "../base/json.ts";
import { hasWord } from "../base/visible-text.ts";
import { idsShort } from "./abbreviate-lists.ts";
import type { Judgement } from "./assess.ts";
import { blank } from "./blanks.ts";
import { isFactId } from "./disputed-facts.ts";
import { dueLines } from "./obligation-words.ts";
import { answersTo, obligationsOf } from "./obligations.ts";
import { normalized } from "./prose.ts";
import type { Rule } from "./rules-for-all.ts";
import { otherThan, sideOf } from "./state.ts";

/** It says up to which message the sender has read: one of the peer's, not what nobody wrote. */
function answersAMessage({ state, draft, sender }: Judgement) {
  const { reply_to: seq } = draft;
  if (seq === undefined) return false;
  const other = otherThan(state, sender);
  const { unanswered, unansweredEarlier } = sideOf(state, sender);
  const known = unanswered.map((mail) => mail.seq);
  const last = sideOf(state, other).lastDraft.seq;
  if (known.includes(seq) || (seq === last && state.phase !== "sealing")) return false;
  // Of the oldest ones only the number is remembered.
  if (unansweredEarlier > 0 && seq < (known[0] ?? 0)) return false;
  const expected = known.length === 0 ? "" : `, expected one of ${known.join(", ")}`;
  return `reply_to is ${seq}, which is no message of ${other} that you have to answer${expected}; leave it out to answer all that you have read`;
}

const confident = new Set(["RESPONSE", "EVALUATE", "COUNTER_PROPOSE", "AGREE"]);

/** A record, or more than one word: "ok" ends no dispute, in any language. */
function isReason(text: string): boolean {
  if (/\bE\d+\b/.test(text)) return true;
  const parts = [...new Intl.Segmenter("und", { granularity: "word" }).segment(text)];
  return parts.filter(({ isWordLike }) => isWordLike).length > 1;
}

/** What binds messages of our scripts. */
export const rulesForOurs: Rule[] = [
  answersAMessage,
  function confidenceGiven({ draft }) {
    const missing = confident.has(draft.type) && draft.confidence === undefined;
    const reason = `confidence is missing; ${draft.type} needs a number from 0 to 1`;
    return missing && { reason, add: { confidence: blank.confidence } };
  },
  function contentSaysSomething({ draft }) {
    const { content } = draft.question_or_proposal;
    return (
      !hasWord(content) && `content is ${inline(content, 60)}; write what your peer is to read`
    );
  },
  function resolvedForAReason({ draft }) {
    const bare = draft.resolved?.find(({ because = "" }) => !isReason(because));
    if (bare === undefined) return false;
    return `resolved: because is ${inline(bare.because ?? "")}; say in a few words what settles ${inline(bare.point ?? "")}`;
  },
  function disagreementsResolved({ state, draft }) {
    if (draft.disagreements_pending === undefined) return false;
    const kept = new Set([
      ...draft.disagreements_pending.map(normalized),
      ...(draft.resolved ?? []).map(({ point }) => normalized(point ?? "")),
    ]);
    const dropped = state.disagreements.find(({ point }) => !kept.has(normalized(point)));
    return (
      dropped !== undefined &&
      `disagreements_pending drops ${inline(dropped.point)} without a reason; add resolved: [{point, because}]`
    );
  },
  function answersWereAsked({ state, draft, sender }) {
    const own = obligationsOf(state, sender);
    const asked = own.filter(({ code }) => code === "answer" || code === "aside");
    const given = (draft.answers ?? []).map(({ question }) => question ?? "");
    const stray = given.find((name) => !asked.some((it) => answersTo(name, it)));
    if (stray === undefined) return false;
    const open = dueLines(own.filter(({ code }) => code === "answer")).join("");
    return `answers names ${inline(stray)}, which is no question to you; ${open || "no question is open to you"}`;
  },
  function checksExist({ state, draft, sender }) {
    // A check once given may be corrected, and either side may look at a fact.
    const known = state.trust.claims.filter(
      ({ id, by, withdrawn }) => withdrawn === "" && (by !== sender || isFactId(id)),
    );
    const stray = (draft.checks ?? []).find(({ claim }) => !known.some(({ id }) => id === claim));
    return (
      stray !== undefined &&
      `checks names ${inline(stray.claim ?? "")}; claims you can check: ${idsShort(known) || "none"}`
    );
  },
  function withdrawnExist({ state, draft, sender }) {
    const own = state.trust.claims.filter(({ by, withdrawn }) => by === sender && withdrawn === "");
    const stray = (draft.withdrawn ?? []).find(({ claim }) => !own.some(({ id }) => id === claim));
    return (
      stray !== undefined &&
      `withdrawn names ${inline(stray.claim ?? "")}; claims of yours: ${idsShort(own) || "none"}`
    );
  },
  function objectionsAcknowledge({ draft, assessment }) {
    if (!assessment.objects || draft.type === "AGREE") return false;
    if ((draft.acknowledged ?? []).length > 0) return false;
    const reason = "an objection names the other side's strong points first";
    return { reason, add: { acknowledged: [blank.strong] } };
  },
];
