import type { LogEvent } from "../log/event.ts";
import { boundedRules, type Rules } from "../protocol/config.ts";
import { tooLoose } from "../protocol/config-limits.ts";
import { takesNoPart } from "../protocol/protocol.ts";
import { judge } from "./assess.ts";
import { auditAnswer, auditPerson } from "./decide-person-event.ts";
import { auditNote } from "./delivery.ts";
import { parseDialogueEvent, unseal } from "./event.ts";
import { evidenceFault } from "./evidence.ts";
import type { Message } from "./message.ts";
import { refusalsFor } from "./refusals.ts";
import { type DialogueState, hasEnded } from "./state.ts";

/**
 * Which rules a stored event breaks at its place in the log; empty when none. Files may have
 * changed since, so an artifact is taken as it was judged when it was sent.
 */
export function audit(state: DialogueState, event: LogEvent): string[] {
  const known = parseDialogueEvent(event);
  const late = event.at < state.lastAt ? [`at ${event.at} is earlier than the event before`] : [];
  switch (known.event) {
    case "opened":
      // Before it opens, the rules of the state are the bounds.
      return state.phase === "new"
        ? [...late, ...looserThan(known.rules, state.rules)]
        : [...late, "opened a second time"];
    case "message_sent":
      return [...late, ...auditMessage(state, event.from, known.message, known.origin === "inbox")];
    case "position_sealed": {
      const opened = unseal(known.sealed, event.from);
      if (opened === undefined)
        return [...late, "the sealed envelope holds no message of its sender"];
      return [
        ...late,
        ...auditMessage(state, event.from, opened.message, opened.origin === "inbox"),
      ];
    }
    case "evidence": {
      const fault = evidenceFault(state, event.from, known.record);
      return fault === undefined ? late : [...late, fault];
    }
    case "closed":
      return hasEnded(state) ? [...late, `the session had ended (${state.phase})`] : late;
    case "decided":
    case "judged":
      return [...late, ...auditPerson(state, known)];
    case "answered":
      return [...late, ...auditAnswer(state)];
    case "said":
    case "paused":
    case "resumed":
    case "heard":
      return late;
    case "rung":
    case "in_turn":
      return [...late, ...auditNote(state, event.from, known)];
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

function auditMessage(
  state: DialogueState,
  sender: string,
  message: Message,
  foreign: boolean,
): string[] {
  if (!state.participants.includes(sender)) return [`${sender} is not a participant`];
  const progress = (message.progress ?? []).filter(({ kind }) => kind !== "artifact");
  const { type, question_or_proposal } = message;
  const draft = { ...message, type, question_or_proposal, progress };
  return refusalsFor(judge({ state, draft, sender, foreign, files: new Map() }));
}

/**
 * Why no script would have stored an event at this place, whatever its rules: it cannot be read, or is of
 * somebody who cannot have made it. `audit` tells the rules that an event breaks.
 */
export function intakeFault(state: DialogueState, event: LogEvent): string | undefined {
  const known = parseDialogueEvent(event);
  switch (known.event) {
    case "opened":
      return state.phase === "new" ? undefined : "opens the session a second time";
    case "position_sealed": {
      const isOfSender = unseal(known.sealed, event.from) !== undefined;
      return isOfSender ? strangerFault(state, event) : "holds no message of its sender";
    }
    case "closed":
      // Where no participant closed it.
      return event.from === "consulta" ? undefined : strangerFault(state, event);
    case "message_sent":
    case "evidence":
    case "rung":
    case "in_turn":
    case "heard":
      return strangerFault(state, event);
    default:
      // Its reader has seen that it is the person's.
      return undefined;
  }
}

function strangerFault({ participants }: DialogueState, { from }: LogEvent): string | undefined {
  return participants.includes(from) ? undefined : takesNoPart(from);
}
