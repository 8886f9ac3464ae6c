import type { LogEvent } from "../log/event.ts";
import { takesNoPart } from "../protocol/protocol.ts";
import { parseDialogueEvent, unseal } from "./event.ts";
import type { DialogueState } from "./state.ts";

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
