import { isRecord } from "../base/json.ts";
import { notBefore } from "../base/time.ts";
import type { Machine } from "../protocol/machine.ts";
import type { SessionStatus } from "../protocol/protocol.ts";

/**
 * Since when a participant has the turn; "" where the state does not tell. Of messages, since the
 * oldest that waits for it, or since the person's answer; of documents, since the last event, where
 * that gave the turn.
 */
export function turnSince(machine: Machine, standing: SessionStatus, name: string): string {
  const { waitingFor, hasTurns, lastAt, startedAt, spoke } = standing;
  if (!hasTurns || !waitingFor.includes(name)) return "";
  if (machine.mail === undefined) return isJustGiven(machine, waitingFor) ? lastAt : "";
  const [oldest] = machine.mail.pending(name);
  const answered = answeredAt(machine, name);
  if (oldest !== undefined) return notBefore(answered, oldest.storedAt);
  const others = Object.entries(spoke ?? {}).flatMap(([of, at]) => (of === name ? [] : at));
  return [answered, ...others].reduce(notBefore, startedAt);
}

/** The owner of documents takes turns with all others: one of them who acts leaves the turn to the rest. */
function isJustGiven(machine: Machine, waitingFor: readonly string[]): boolean {
  const snapshot = machine.snapshot();
  const state = isRecord(snapshot) ? snapshot["state"] : undefined;
  if (!isRecord(state)) return false;
  const { owner, last } = state;
  const isOwners = waitingFor.length === 1 && waitingFor[0] === owner;
  return isOwners || (isRecord(last) && last["from"] === owner);
}

/** When the person answered what this participant has not acted on since; "" for never. */
function answeredAt(machine: Machine, name: string): string {
  const snapshot = machine.snapshot();
  const person = isRecord(snapshot) ? snapshot["person"] : undefined;
  const words = isRecord(person) && Array.isArray(person["words"]) ? person["words"] : [];
  const answers = words.flatMap((it) => {
    if (!isRecord(it) || it["event"] !== "answered") return [];
    const { to, at } = it;
    return Array.isArray(to) && to.includes(name) && typeof at === "string" ? [at] : [];
  });
  return answers.at(-1) ?? "";
}
