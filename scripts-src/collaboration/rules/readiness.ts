import { bulletsOf } from "../../base/markdown.ts";
import { type Fault, fault } from "./faults.ts";

/** A classified question of readiness.md: `- [status] text`. */
export interface ReadinessItem {
  status: string;
  text: string;
}

const statuses = ["resolved", "deferred_nonblocking", "blocking", "unresolved"];

/**
 * The items of readiness.md as the original sees them: any `- [word]` line of the whole file. Unknown
 * words are among them and mean nothing; `*` bullets are not items.
 */
export function readinessItems(text: string): ReadinessItem[] {
  return bulletsOf(text)
    .filter(({ mark }) => /^[A-Za-z_]+$/.test(mark))
    .map(({ mark, text: said }) => ({ status: mark, text: said }));
}

/** Why readiness.md does not allow `decision_accepted`. */
export function acceptanceFaults(readiness: string): Fault[] {
  return itemFaults(readiness, " before decision_accepted", " before decision_accepted");
}

/** Why readiness.md does not allow `readiness_passed` and `completed`. */
export function readinessFaults(readiness: string): Fault[] {
  const before = " before readiness_passed or completed";
  const isReady = bulletsOf(readiness).some(isReadyLine);
  return [...itemFaults(readiness, before, ""), ...(isReady ? [] : [fault("not ready", before)])];
}

/** Which completion gates readiness.md does not show as checked; a gate's line is its exact text. */
export function gateFaults(readiness: string, gates: readonly string[]): Fault[] {
  const checked = new Set(
    bulletsOf(readiness)
      .filter(isChecked)
      .map(({ text }) => text.trim()),
  );
  const open = gates.filter((gate) => !checked.has(gate.trim()));
  return open.length === 0 ? [] : [fault("open gates", open.join(", "))];
}

/** Whether a deferred item lacks its reason. An empty reason passes: so it does in the original. */
export function lacksReason(readiness: string): boolean {
  return readinessItems(readiness).some(
    ({ status, text }) => status === "deferred_nonblocking" && !/reason:/i.test(text),
  );
}

function itemFaults(readiness: string, before: string, beforeDeferred: string): Fault[] {
  const items = readinessItems(readiness);
  const faults: Fault[] = [];
  if (items.some(({ status }) => status === "blocking")) {
    faults.push(fault("blocking", before));
  }
  if (items.some(isUnresolved)) {
    faults.push(fault("unresolved", before));
  }
  if (lacksReason(readiness)) {
    faults.push(fault("no reason", beforeDeferred));
  }
  return faults;
}

/** TBD under any status is an open question, whatever the status says. */
function isUnresolved({ status, text }: ReadinessItem): boolean {
  return status === "unresolved" || (statuses.includes(status) && text.includes("TBD"));
}

function isChecked({ mark }: { mark: string }): boolean {
  return mark === "x" || mark === "X";
}

/** The original compares the beginning only: `Ready to implement later` passes. */
function isReadyLine(bullet: { mark: string; text: string }): boolean {
  return isChecked(bullet) && bullet.text.startsWith("Ready to implement");
}
