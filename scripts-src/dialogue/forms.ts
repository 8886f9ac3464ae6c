import type { JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { judge } from "./assess.ts";
import { blank, filledIn } from "./blanks.ts";
import { type MessageType, parseDraft } from "./message.ts";
import { dueLines, objection, wantedFor } from "./obligation-words.ts";
import { obligationsOf } from "./obligations.ts";
import { isSamePosition, lastPosition } from "./positions.ts";
import { brokenBy } from "./rules.ts";
import { type DialogueState, otherThan, sideOf } from "./state.ts";

/** A message that may be sent now, whole but for the places where its words are the sender's. */
interface Form {
  readonly purpose: string;
  readonly input: JsonObject;
  /** Claims to look at before; "" for any look of its sender's own. */
  readonly toCheck: readonly string[];
}

const [formsMax, lacksMax] = [3, 12];

/** The messages that a participant may send now, the likeliest first: what no rule lets through is none. */
export function formsFor(state: DialogueState, participant: string): Form[] {
  const begun = begunFor(state, participant);
  return begun.flatMap((it) => completed(state, participant, it) ?? []).slice(0, formsMax);
}

/**
 * A form with all that the rules find lacking once its blanks are filled in, of a long list its beginning.
 * Undefined where one rejects it whatever its sender writes.
 */
function completed(state: DialogueState, sender: string, begun: Form): Form | undefined {
  const toCheck = new Set(begun.toCheck);
  let { input } = begun;
  for (let round = 0; round < lacksMax; round += 1) {
    const draft = parseDraft(filledIn(input), true);
    if (Array.isArray(draft)) return undefined;
    const attempt = judge({ state, draft, sender, foreign: false, files: new Map() });
    const before = JSON.stringify(input);
    for (const broken of brokenBy(attempt)) {
      if (typeof broken === "string") return undefined;
      for (const claim of broken.toCheck ?? []) toCheck.add(claim);
      input = together(input, broken.add ?? {});
    }
    if (JSON.stringify(input) === before) return { ...begun, input, toCheck: [...toCheck] };
  }
  return undefined;
}

/** A list that both have is one. */
function together(form: JsonObject, more: JsonObject): JsonObject {
  const joined = { ...form, ...more };
  for (const [name, value] of Object.entries(more)) {
    const known = form[name];
    if (Array.isArray(known) && Array.isArray(value))
      joined[name] = [...known, ...value].slice(0, limits.pointsShown);
  }
  return joined;
}

function form(purpose: string, type: MessageType, content: string, more: JsonObject = {}): Form {
  return { purpose, input: { type, question_or_proposal: { content }, ...more }, toCheck: [] };
}

function begunFor(state: DialogueState, participant: string): Form[] {
  switch (state.phase) {
    case "asking":
      return [form("ask", "REQUEST", blank.question)];
    case "sealing":
      return [
        form("state your position blind, unread until both are in", "RESPONSE", blank.reasons),
      ];
    case "agreed":
      return [
        form("close, with nothing that your peer has not seen", "CONSENSUS", blank.decision),
        form("not sure after all", "EVALUATE", blank.reasons),
      ];
    case "consensus":
      return [
        form("confirm the closing text, if it says what you agreed", "AGREE", blank.looked),
        form("object to the closing text, which reopens", "EVALUATE", blank.reasons, objection),
      ];
    default:
      return talkingForms(state, participant);
  }
}

function talkingForms(state: DialogueState, participant: string): Form[] {
  const isFree = state.mode === "parallelo";
  const tasks = obligationsOf(state, participant).filter(({ code }) => code === "task");
  const results = dueLines(tasks.slice(0, 1)).map((it) => form(it, "TASK_RESULT", blank.result));
  // Without turns a task is reported when it is done, and who has nothing to answer may still add something.
  const isOther = !state.turn.includes(participant) || (tasks.length > 0 && !isFree);
  const forms = isOther
    ? [...results, form(isFree ? "add something" : "ask back", "CLARIFY", blank.ask)]
    : [...results, ...answers(state, participant)];
  // Without turns more may come while this is written: it answers what was shown, no more.
  const seen = sideOf(state, participant).unanswered.at(-1)?.seq;
  if (!isFree || seen === undefined) return forms;
  return forms.map((it) => ({ ...it, input: { ...it.input, reply_to: seen } }));
}

/** Messages that answer the question itself, with what may wait: claims, and questions in running text. */
function answers(state: DialogueState, participant: string): Form[] {
  const own = obligationsOf(state, participant);
  const due = (["check", "look", "aside"] as const).map((wanted) =>
    wantedFor(
      state,
      own.filter(({ code }) => code === wanted),
    ),
  );
  const toCheck = due.flatMap((it) => it.toCheck);
  const withDue = (input: JsonObject) =>
    due.reduce((form, { fields }) => together(form, fields), input);
  return answersInOrder(state, participant).map((it) => ({
    ...{ ...it, input: withDue(it.input), toCheck },
  }));
}

function answersInOrder(state: DialogueState, participant: string): Form[] {
  const other = otherThan(state, participant);
  const { byHand } = sideOf(state, other);
  const { sentCount, held: own } = sideOf(state, participant);
  const theirs = lastPosition(state, other);
  const type = sentCount > 0 ? "EVALUATE" : "RESPONSE";
  if (theirs.seq === 0 && !byHand) return [form("answer", type, blank.reasons)];
  const agree = form("agree", "AGREE", blank.decision, byHand ? { position: blank.agreed } : {});
  const object = form("object", "EVALUATE", blank.reasons, objection);
  const judged = form("judge it", type, blank.reasons);
  const dues = obligationsOf(state, participant);
  const owed = dues.filter(({ code }) => code === "synthesis");
  const { fields } = wantedFor(state, owed);
  if (owed.length > 0) return [form("make one of both", type, blank.reasons, fields), agree];
  if (dues.some(({ code }) => code === "facts")) return [judged, agree];
  if (state.offer?.by === other)
    return [form("confirm that text, which closes", "AGREE", blank.looked), object];
  if (dues.some(({ code }) => code === "offer")) return [agree, object];
  const isSame = theirs.seq > 0 && isSamePosition(own.position, theirs.position);
  return isSame ? [agree, judged, object] : [judged, object, agree];
}
