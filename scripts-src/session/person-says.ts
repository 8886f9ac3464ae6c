import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Place } from "./place.ts";
import { loadSession } from "./session.ts";
import { type Submitted, submit } from "./submit.ts";

/**
 * Puts on record what the person decided, or what became of a decision. Whoever calls this has seen
 * that no agent does.
 * @throws ConsultaError REFUSED where there is nothing to decide or to judge, and for other kinds than dialogues.
 */
export async function personSays(
  place: Place,
  fields: JsonObject,
  clock: Clock,
): Promise<Submitted> {
  const session = await loadSession(place);
  if (!session.kind.heedsPerson) {
    const reason = `${place.id} is a ${session.kind.name}, which keeps its decisions in its documents`;
    throw new ConsultaError("REFUSED", `${reason}; decide and verdict are for dialogues`);
  }
  const by = { participant: "user", origin: "person" as const };
  return submit(session, { ...by, fields, at: clock.now(), id: clock.newId() });
}
