import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, quote } from "../base/json.ts";
import { loadSession } from "../session/session.ts";
import { type StepIn, stepIn } from "../session/submit-person-step.ts";
import { noteSeenEnd } from "./seen-session-ends.ts";
import type { Entry } from "./session-queue.ts";

/** What the person does in the page; the same id again is the same act. */
export interface PersonRequest {
  readonly key: string;
  readonly verb: string;
  readonly text: string;
  readonly to: string;
  readonly id: string;
}

/** @throws ConsultaError REFUSED for what is no act. */
export function wishOf(body: unknown): PersonRequest {
  const { key, verb, text = "", to = "", id = "" } = isRecord(body) ? body : {};
  const isText = [key, verb, text, to, id].every((it) => typeof it === "string");
  if (!isText) throw new ConsultaError("REFUSED", "expected {key, verb, text, to, id}, all texts");
  return {
    key: String(key),
    verb: String(verb),
    text: String(text),
    to: String(to),
    id: String(id),
  };
}

/** Does it by the same function as the scripts. */
export async function act(entry: Entry, wish: PersonRequest, clock: Clock): Promise<object> {
  const { place, workspace } = entry;
  if (wish.verb === "seen") {
    const { seq } = (await loadSession(place)).machine.standing();
    noteSeenEnd(workspace, place.id, seq);
    return { seq };
  }
  const { seq, repeated } = await stepIn(place, stepOf(wish), clock);
  return { seq, repeated };
}

function stepOf({ verb, text, to, id }: PersonRequest): StepIn {
  const key = id === "" ? {} : { key: id };
  switch (verb) {
    case "say":
      return { verb, text, ...(to === "" ? {} : { to }), ...key };
    case "answer":
    case "decide":
      return { verb, text, ...key };
    case "pause":
      return { verb, ...(text === "" ? {} : { because: text }), ...key };
    case "resume":
      return { verb, ...key };
    case "end":
      return { verb, reason: text };
    default:
      throw new ConsultaError(
        "REFUSED",
        `${quote(verb)} is no act; there are say, answer, decide, pause, resume, end and seen`,
      );
  }
}
