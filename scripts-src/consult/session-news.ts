import { isRecord } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import { isDeliveryNote } from "../protocol/person-step.ts";
import type { SessionState } from "../protocol/protocol.ts";

/** One event: who did what, and where the session stands after it; nothing of how messages came. */
export function newsLines(event: LogEvent, after: SessionState): string[] {
  return isDeliveryNote(event) ? [] : [newsLine(event, after)];
}

/** How far messages came by an event: rung, in turn, or acted on by what their recipient sent. */
export function deliveryNews(event: LogEvent, before: SessionState, after: SessionState): string[] {
  if (isDeliveryNote(event)) return [event.summary];
  const { from, seq } = event;
  const pendingIn = ({ kind, state }: SessionState) => kind.mail?.pending(state, from) ?? [];
  const left = new Set(pendingIn(after).map((it) => it.seq));
  const done = pendingIn(before).filter((it) => !left.has(it.seq));
  return done.map((it) => `message ${it.seq} to ${from}: answered (message ${seq})`);
}

function newsLine(event: LogEvent, { kind, state }: SessionState): string {
  const { from, seq, summary } = event;
  const { phase, waitingFor, summary: stands } = kind.standing(state);
  if (kind.mail === undefined) {
    const awaited = waitingFor.length === 0 ? "" : `, waiting for ${waitingFor.join(", ")}`;
    return `${from}: ${event.event} (seq ${seq}; ${phase}${awaited}): ${summary}`;
  }
  const message = isRecord(event["message"]) ? event["message"] : {};
  const { type, to } = message;
  const did = typeof type === "string" && typeof to === "string" ? `${type} to ${to}` : summary;
  const isMessage = event.event === "message_sent" || event.event === "position_sealed";
  const gist = event.event === "message_sent" ? gistOf(message) : undefined;
  const says = gist === undefined ? "" : `: ${gist}`;
  return `${from}: ${did} (${isMessage ? "message" : "seq"} ${seq}; ${stands})${says}`;
}

/** What the last message says, in one line: its sender, what it is, and its position or first sentence. */
export function messageGist({ from, event, summary, message }: LogEvent): string | undefined {
  if (event === "position_sealed") return `${from}: has taken a position, sealed until both have`;
  if (event !== "message_sent" || !isRecord(message)) return undefined;
  return `${from}: ${String(message["type"])}: ${gistOf(message) ?? summary}`;
}

/** The question for the person, else the position, else what it begins with. */
function gistOf(message: Record<string, unknown>): string | undefined {
  const { position, question_or_proposal: said, needs_user: needs } = message;
  const content = isRecord(said) ? said["content"] : undefined;
  return [needs, position, content].find((it): it is string => typeof it === "string" && it !== "");
}

/** Minutes and seconds. */
export function elapsedText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
