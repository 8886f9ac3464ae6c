import { millisecondsOf } from "../base/time.ts";
import type { NamedStatus } from "../session/session.ts";
import { needText, pausedText } from "../session/text/person-text.ts";
import { type QueueGroup, type QueueRow, queueGroups } from "./page/model.ts";

/** Whether those who play a session live. */
export interface Life {
  /** Who has the turn and is gone; "" for nobody. */
  readonly lost: string;
  readonly isLive: boolean;
}

export const noLife: Life = { lost: "", isLive: false };

/** All that decides where a session is in the list. */
export interface RowState extends Life {
  readonly standing: NamedStatus;
  readonly seenSeq: number;
  readonly isOurs: boolean;
}

/** Where a session is in the list, and the line that says why. */
export function groupOf({ standing, seenSeq, isOurs, lost, isLive }: RowState): {
  group: QueueGroup;
  why: string;
} {
  const { ended, verdict, phase, waitingFor, seq, paused, needsPerson } = standing;
  const outcome = verdict ?? phase.replaceAll("_", " ");
  if (!isOurs)
    return { group: "earlier", why: "not begun here: it may have come with the project" };
  if (needsPerson !== undefined) return { group: "waits", why: needText(needsPerson) };
  if (ended) return { group: seenSeq >= seq ? "earlier" : "finished", why: outcome };
  if (paused !== undefined) return { group: "idle", why: pausedText(paused) };
  if (lost !== "") return { group: "failed", why: lost };
  const why = waitingFor.length === 0 ? phase.replaceAll("_", " ") : "";
  return { group: isLive ? "running" : "idle", why };
}

/** A row that says why it cannot say more. */
export function unreadableRow(
  named: Pick<QueueRow, "key" | "id" | "project">,
  fault: string,
): QueueRow {
  return {
    ...named,
    ...{ kind: "", topic: named.id, group: "failed", why: fault, turn: [], turnAt: "" },
    ...{ lastAt: "", participants: [], confidence: [] },
  };
}

/** The newest first, but what waits for the person the longest comes before all. */
export function inQueueOrder(one: QueueRow, other: QueueRow): number {
  const rank = queueGroups.indexOf(one.group) - queueGroups.indexOf(other.group);
  if (rank !== 0) return rank;
  const later = (millisecondsOf(other.lastAt) || 0) - (millisecondsOf(one.lastAt) || 0);
  return one.group === "waits" ? -later : later;
}
