import type { LogEvent } from "../../log/event.ts";
import type { Files, Unkept } from "../../protocol/protocol.ts";
import type { FirstSeen } from "./first-seen.ts";
import { named } from "./participant-view.ts";
import type { CollaborationState } from "./state.ts";

/** What an acceptance is about. */
export const acceptedDocuments = ["proposal.md", "decisions.md"] as const;

/** The documents that say something else than when a participant accepted them. */
export function changedSinceAcceptance(
  state: CollaborationState,
  events: readonly LogEvent[],
  seen: ReadonlyMap<number, FirstSeen>,
  files: Files,
): Unkept[] {
  const acceptances = acceptancesIn(state, events);
  return acceptedDocuments.flatMap((path) => {
    const now = files.get(path)?.sha256;
    const before = acceptances.filter(({ seq }) => {
      const then = seen.get(seq)?.docs[path];
      return then !== undefined && then !== now;
    });
    if (before.length === 0) return [];
    const who = before.map(({ seq, from }) => `${named([from])} (seq ${seq})`).join(", ");
    const text = `${path} was changed after it was accepted by ${who}: ${wayBack(state)}`;
    return [{ rule: "accepted", text, fixers: [state.owner] }];
  });
}

function wayBack({ phase }: CollaborationState): string {
  return phase === "decision_review"
    ? "put it again with decision_proposed, or restore it"
    : "restore it as it was accepted";
}

/** The acceptances that count: each participant's newest that broke no rule, since the last void. */
function acceptancesIn(state: CollaborationState, events: readonly LogEvent[]): LogEvent[] {
  const broken = new Set(state.faults.map(({ seq }) => seq));
  return state.accepted.flatMap((name) => {
    const own = events.findLast(
      ({ event, from, seq }) => event === "decision_accepted" && from === name && !broken.has(seq),
    );
    return own === undefined ? [] : [own];
  });
}
