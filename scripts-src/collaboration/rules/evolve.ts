import { instantOf } from "../../base/iso-time.ts";
import type { JsonValue } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import type { LogEvent } from "../../log/event.ts";
import type { MoveAttempt } from "./conditions.ts";
import type { CollaborationState } from "./state.ts";
import { step } from "./step.ts";

/**
 * Folds one stored event into the state. Others write this log as well: an event that breaks a rule
 * is remembered and changes nothing, so that nobody can stop the rest by it.
 */
export function evolve(state: CollaborationState, event: LogEvent): CollaborationState {
  const { seq, from, at } = event;
  const stepped = step(state, attemptOf(event));
  const next = typeof stepped === "string" ? withFault(state, seq, stepped) : stepped;
  const summary = cut(event.summary);
  return {
    ...next,
    seq,
    startedAt: state.phase === "new" && next.phase !== "new" ? at : state.startedAt,
    lastAt: instantOf(at) === undefined ? state.lastAt : at,
    last: { seq, event: cut(event.event), from: cut(from), summary },
  };
}

/** A stored event as the rules look at it. */
export function attemptOf(event: LogEvent): MoveAttempt {
  return {
    event: event.event,
    from: event.from,
    summary: event.summary,
    doc: textOf(event["doc"]),
    role: textOf(event["role"]),
    sha256: textOf(event["sha256"]),
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function withFault(state: CollaborationState, seq: number, reason: string): CollaborationState {
  const { faults, faultsCount } = state;
  const isFull = faults.length >= limits.rememberedItems;
  return {
    ...state,
    faults: isFull ? faults : [...faults, { seq, reason: cut(reason) }],
    faultsCount: faultsCount + 1,
  };
}

/** A checkpoint is written with every event and must stay small. */
function cut(text: string): string {
  return text.slice(0, limits.itemCharacters).toWellFormed();
}
