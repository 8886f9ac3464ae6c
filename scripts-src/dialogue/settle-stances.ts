import { limits } from "../base/limits.ts";
import type { SentFields } from "./event.ts";
import type { Message } from "./message.ts";
import { normalized } from "./prose.ts";
import { disagreementsIn } from "./stance-phrases.ts";
import { type DialogueState, type Objection, sideOf, withSide } from "./state.ts";

/** AGREE stands until somebody objects, an objection until it is taken back or one side gives in. */
export function settleStances(before: DialogueState, sent: SentFields): DialogueState {
  const { message, assessment } = sent;
  const threshold = before.rules.consensus_confidence_threshold;
  if (assessment.objects) {
    const reopened = withSide(before, message.to, { agreed: false });
    // A check that fails disputes a claim, and what was objected to before as well.
    const found = objectionsIn(sent);
    const objections = found.length > 0 ? found : sideOf(before, message.from).objections;
    return withSide(reopened, message.from, { agreed: false, objections });
  }
  const state = withoutSettled(before, message, assessment.accepts);
  const sure = (message.confidence ?? 0) >= threshold;
  if (message.type === "AGREE") return withSide(state, message.from, { agreed: sure });
  const doubts = message.confidence !== undefined && !sure;
  return doubts ? withSide(state, message.from, { agreed: false }) : state;
}

function withoutSettled(state: DialogueState, message: Message, accepts: boolean): DialogueState {
  const { from, to, resolved = [] } = message;
  const settled = new Set(resolved.map(({ point = "" }) => normalized(point)));
  const { objections } = sideOf(state, from);
  const left = objections.filter(({ point }) => !settled.has(normalized(point)));
  return accepts
    ? withSide(withSide(state, from, { objections: [] }), to, { objections: [] })
    : withSide(state, from, { objections: left });
}

/** What a message objects to: its list, else of a letter by hand its sentences that say so, else its alternative. */
function objectionsIn({ message, origin }: SentFields): Objection[] {
  const { objections = [], disagreements_pending: pending = [], type, position } = message;
  const { content } = message.question_or_proposal;
  if (objections.length > 0)
    return objections
      .slice(-limits.pointsShown)
      .map(({ point = "", because = "" }) => ({ point, because }));
  const sentences = origin === "inbox" ? disagreementsIn(content) : [];
  const isAlternative = type === "COUNTER_PROPOSE" && pending.length === 0;
  const words = sentences.length === 0 && isAlternative ? [position ?? content] : sentences;
  return words
    .slice(-limits.pointsShown)
    .map((it) => ({ point: it.slice(0, limits.itemCharacters).toWellFormed(), because: "" }));
}
