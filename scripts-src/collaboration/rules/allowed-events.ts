import { referenceOf } from "./deliverables.ts";
import type { CollaborationState, EventName } from "./state.ts";
import { step, transitions } from "./transitions.ts";

/**
 * The events that a participant may append now, documents aside, in the table's order. Those of
 * supporting deliverables are possible at any time and not listed.
 */
export function allowedEvents(state: CollaborationState, from: string): EventName[] {
  const { deliverables } = state.settings;
  const primary =
    deliverables === null ? undefined : referenceOf(deliverables, deliverables.primary);
  return transitions
    .filter(({ event, role }) => {
      if (role === "supporting") return false;
      // Nothing is lacking that a row could want.
      const doc = role === undefined ? "conclusion.md" : primary;
      const attempt = { event, from, summary: "", doc, role, sha256: "0".repeat(64) };
      return typeof step(state, attempt) !== "string";
    })
    .map(({ event }) => event);
}
