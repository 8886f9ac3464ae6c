import { isRecord } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import { isDeliveryNote } from "../protocol/delivery-note.ts";
import type { Machine } from "../protocol/machine.ts";

/** One event: who did what, where the session stands after it, and what it answers. */
export function newsLines(event: LogEvent, before: Machine, after: Machine): string[] {
  if (isDeliveryNote(event)) return [event.summary];
  return [newsLine(event, after), ...actedOn(event, before, after)];
}

/** The messages that their recipient acted on by this event of its own. */
function actedOn({ from, seq }: LogEvent, before: Machine, after: Machine): string[] {
  const left = new Set(after.mail?.pending(from).map((it) => it.seq));
  const done = before.mail?.pending(from).filter((it) => !left.has(it.seq)) ?? [];
  return done.map((it) => `message ${it.seq} to ${from}: acted on (message ${seq})`);
}

function newsLine(event: LogEvent, after: Machine): string {
  const { from, seq, summary } = event;
  const { phase, waitingFor, summary: stands } = after.standing();
  if (after.mail === undefined) {
    const awaited = waitingFor.length === 0 ? "" : `, waiting for ${waitingFor.join(", ")}`;
    return `${from}: ${event.event} (seq ${seq}; ${phase}${awaited}): ${summary}`;
  }
  const message = isRecord(event["message"]) ? event["message"] : {};
  const { type, to } = message;
  const did = typeof type === "string" && typeof to === "string" ? `${type} to ${to}` : summary;
  const isMessage = event.event === "message_sent" || event.event === "position_sealed";
  return `${from}: ${did} (${isMessage ? "message" : "seq"} ${seq}; ${stands})`;
}

/** Minutes and seconds. */
export function elapsedText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
