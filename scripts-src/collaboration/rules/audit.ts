import { instantOf } from "../../base/iso-time.ts";
import { quote } from "../../base/json.ts";
import type { LogEvent } from "../../log/event.ts";
import { takesNoPart } from "../../protocol/protocol.ts";
import { attemptOf } from "./evolve.ts";
import { type Fault, fault, hasFault, textsOf } from "./faults.ts";
import type { CollaborationState } from "./state.ts";
import { isKnownEvent, transitionFaults } from "./step.ts";

/**
 * What is wrong with a stored event at its place, in the words and the order of the original's
 * validator, whose `seq N: ` is the caller's. Documents are not looked at here.
 */
export function audit(state: CollaborationState, event: LogEvent): string[] {
  // The place is all that is wrong with a late `initialized`: `inspect` tells it without one.
  const faults = transitionFaults(state, attemptOf(event)).filter(
    ({ code }) => code !== "not first",
  );
  const own = [...replyFaults(event), ...timeFaults(state, event)];
  return textsOf(hasFault(faults, "unknown event") ? [...faults, ...own] : [...own, ...faults]);
}

/** Of its rules those that every script has kept; the others it notes as broken and goes on. */
export function intakeFault(state: CollaborationState, event: LogEvent): string | undefined {
  const { from, event: name } = event;
  if (!isKnownEvent(state, name)) return `is no event of a collaboration: ${quote(name)}`;
  return state.settings.participants.includes(from) ? undefined : takesNoPart(from);
}

function replyFaults({ seq, event, reply_to: replyTo }: LogEvent): Fault[] {
  if (replyTo === undefined || replyTo === null) {
    // The original wants it from everybody but the event that begins the log.
    return seq === 1 && event === "initialized" ? [] : [fault("no reply")];
  }
  const isEarlier =
    typeof replyTo === "number" && Number.isInteger(replyTo) && replyTo >= 1 && replyTo < seq;
  return isEarlier ? [] : [fault("reply to none")];
}

function timeFaults({ lastAt }: CollaborationState, { at }: LogEvent): Fault[] {
  const instant = instantOf(at);
  if (instant === undefined) return [fault("no time")];
  const last = instantOf(lastAt);
  if (last === undefined || instant >= last) return [];
  return [fault("time runs back")];
}
