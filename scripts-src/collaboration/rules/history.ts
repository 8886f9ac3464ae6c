import { instantOf } from "../../base/iso-time.ts";
import type { LogEvent } from "../../log/event.ts";
import { evolve } from "./evolve.ts";
import type { CollaborationState } from "./state.ts";

/** An event of the log, and whether it broke a rule and so changed nothing. */
export interface HistoryEvent {
  readonly event: LogEvent;
  readonly ignored: boolean;
}

/** What a whole log tells beside the state that it leads to. */
export interface History {
  readonly told: HistoryEvent[];
  /** How long each participant was waited for, in the log's own times. */
  readonly waitedMs: ReadonlyMap<string, number>;
}

export function historyOf(before: CollaborationState, events: readonly LogEvent[]): History {
  const waitedMs = new Map(before.settings.participants.map((name) => [name, 0]));
  const told: HistoryEvent[] = [];
  let state = before;
  for (const event of events) {
    const spentMs =
      (instantOf(event.at) ?? 0) - (instantOf(state.lastAt) ?? Number.POSITIVE_INFINITY);
    // A time that is none, or that runs backward, tells nothing about a wait.
    if (spentMs > 0) {
      for (const name of state.waitingFor) waitedMs.set(name, (waitedMs.get(name) ?? 0) + spentMs);
    }
    const after = evolve(state, event);
    told.push({ event, ignored: after.faultsCount > state.faultsCount });
    state = after;
  }
  return { told, waitedMs };
}
