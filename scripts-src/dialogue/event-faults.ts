import type { LogEvent } from "../log/event.ts";
import { boundedRules, type Rules, tooLoose } from "../protocol/config.ts";
import { takesNoPart } from "../protocol/protocol.ts";
import { judge } from "./assess.ts";
import { auditFault } from "./audit.ts";
import { evidenceFault } from "./decide.ts";
import { noteFaults } from "./delivery.ts";
import { parseDialogueEvent, type Sent, unseal } from "./event.ts";
import { personFault } from "./person.ts";
import { refusalsFor } from "./rules.ts";
import { type DialogueState, hasEnded } from "./state.ts";

/**
 * Which rules a stored event breaks at its place in the log; empty when none. Files may have
 * changed since, so an artifact is taken as it was judged when it was sent.
 */
export function eventFaults(state: DialogueState, event: LogEvent): string[] {
  const late = event.at < state.lastAt ? [`at ${event.at} is earlier than the event before`] : [];
  return [...late, ...(faultsOf(state, event) ?? [])];
}

function faultsOf(state: DialogueState, event: LogEvent): string[] | undefined {
  const known = parseDialogueEvent(event);
  const listed = (fault: string | undefined) => (fault === undefined ? [] : [fault]);
  switch (known.event) {
    case "opened":
      // Before it opens, the rules of the state are the bounds.
      return state.phase === "new"
        ? looserThan(known.rules, state.rules)
        : ["opened a second time"];
    case "message_sent":
      return messageFaults(state, event.from, known);
    case "position_sealed": {
      const opened = unseal(known.sealed, event.from);
      return opened === undefined
        ? ["the sealed envelope holds no message of its sender"]
        : messageFaults(state, event.from, opened);
    }
    case "evidence":
      return listed(evidenceFault(state, event.from, known.record));
    case "closed":
      return hasEnded(state) ? [`the session had ended (${state.phase})`] : [];
    case "decided":
    case "judged":
    case "answered":
      return listed(personFault(state, known.event));
    case "audited":
      return listed(auditFault(state, known.record));
    case "rung":
    case "in_turn":
      return noteFaults(state, event.from, known);
    default:
      return undefined;
  }
}

function looserThan(rules: Rules, bounds: Rules): string[] {
  const counted = boundedRules(rules, bounds);
  const keys = [
    "max_rounds",
    "consensus_confidence_threshold",
    "deadlock_detection_rounds",
    "auto_escalate_on_deadlock",
  ] as const;
  return keys
    .filter((key) => rules[key] !== counted[key])
    .map((key) => `${tooLoose(key, rules[key], `${counted[key]}`)}; ${counted[key]} counts`);
}

function messageFaults(state: DialogueState, sender: string, { message, origin }: Sent): string[] {
  if (!state.participants.includes(sender)) return [`${sender} is not a participant`];
  const progress = (message.progress ?? []).filter(({ kind }) => kind !== "artifact");
  const draft = { ...message, progress };
  const foreign = origin === "inbox";
  return refusalsFor(judge({ state, draft, sender, foreign, files: new Map() }));
}

/**
 * Why no script would have stored an event at this place, whatever its rules: it cannot be read, or is of
 * somebody who cannot have made it. `eventFaults` tells the rules that an event breaks.
 */
export function intakeFault(state: DialogueState, event: LogEvent): string | undefined {
  const known = parseDialogueEvent(event);
  const { from } = event;
  const stranger = state.participants.includes(from) ? undefined : takesNoPart(from);
  switch (known.event) {
    case "opened":
      return state.phase === "new" ? undefined : "opens the session a second time";
    case "position_sealed":
      return unseal(known.sealed, from) ? stranger : "holds no message of its sender";
    case "closed":
      // Where no participant closed it.
      return from === "consulta" ? undefined : stranger;
    case "message_sent":
    case "evidence":
    case "rung":
    case "in_turn":
    case "heard":
      return stranger;
    default:
      // Its reader has seen that it is the person's.
      return undefined;
  }
}
