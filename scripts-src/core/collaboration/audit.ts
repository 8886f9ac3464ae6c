import type { LogEvent } from "../event.ts";
import { instantOf } from "../iso-time.ts";
import { attemptOf } from "./evolve.ts";
import type { CollaborationState } from "./state.ts";
import { transitionFaults } from "./transitions.ts";

/**
 * What is wrong with a stored event at its place, in the words and the order of the original's
 * validator, whose `seq N: ` is the caller's. Documents are not looked at here.
 */
export function audit(state: CollaborationState, event: LogEvent): string[] {
  const faults = transitionFaults(state, attemptOf(event));
  const unknown = faults.filter((fault) => fault.startsWith("unknown event"));
  const broken = faults.filter((fault) => !fault.startsWith("unknown event"));
  return [...unknown, ...replyFaults(event), ...timeFaults(state, event), ...broken];
}

function replyFaults({ seq, event, reply_to: replyTo }: LogEvent): string[] {
  if (replyTo === undefined || replyTo === null) {
    // The original wants it from everybody but the event that begins the log.
    return seq === 1 && event === "initialized" ? [] : ["reply_to is required after initialized"];
  }
  const isEarlier =
    typeof replyTo === "number" && Number.isInteger(replyTo) && replyTo >= 1 && replyTo < seq;
  return isEarlier ? [] : ["reply_to must point to an earlier event"];
}

function timeFaults({ lastAt }: CollaborationState, { at }: LogEvent): string[] {
  const instant = instantOf(at);
  if (instant === undefined) return ["at must be an ISO-8601 timestamp"];
  const last = instantOf(lastAt);
  if (last === undefined || instant >= last) return [];
  return ["at must not be earlier than the previous event"];
}
