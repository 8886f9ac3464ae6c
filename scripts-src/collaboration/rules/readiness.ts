import { bulletsOf, linesOf } from "../../base/markdown.ts";
import { type Fault, faultAt } from "./faults.ts";

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
  const unready = isReady
    ? []
    : [faultAt("not ready", [before], ["- [ ] Ready to implement", "- [x] Ready to implement"])];
  return [...itemFaults(readiness, before, ""), ...unready];
}

/** Which completion gates readiness.md does not show as checked; a gate's line is its exact text. */
export function gateFaults(readiness: string, gates: readonly string[]): Fault[] {
  const checked = new Set(
    bulletsOf(readiness)
      .filter(isChecked)
      .map(({ text }) => text.trim()),
  );
  const open = gates.filter((gate) => !checked.has(gate.trim()));
  if (open.length === 0) return [];
  const lines = new Set(linesOf(readiness).map((line) => line.trim()));
  const places = open.map((gate) => {
    const unchecked = `- [ ] ${gate}`;
    return [`- [x] ${gate}`, ...(lines.has(unchecked) ? [unchecked] : [])];
  });
  return [faultAt("open gates", [open.join(", ")], ...places)];
}

function itemFaults(readiness: string, before: string, beforeDeferred: string): Fault[] {
  const items = readinessItems(readiness);
  const found = (
    code: "blocking" | "unresolved" | "no reason",
    when: string,
    isOpen: (item: ReadinessItem) => boolean,
  ) => {
    const open = items.filter(isOpen);
    return open.length === 0 ? [] : [faultAt(code, [when], ...open.map(lineAndSettled))];
  };
  return [
    ...found("blocking", before, ({ status }) => status === "blocking"),
    ...found("unresolved", before, isUnresolved),
    ...found("no reason", beforeDeferred, lacksReason),
  ];
}

/** A question's line, and what it may become. */
function lineAndSettled({ status, text }: ReadinessItem): [line: string, settled: string] {
  const question = text.includes("TBD") ? "<the question>" : text;
  const answer = "<the answer, or Reason: why it can wait>";
  const settled: Record<string, string> = {
    unresolved: `- [<resolved|deferred_nonblocking|blocking>] ${question} ${answer}`,
    blocking: `- [<resolved|deferred_nonblocking>] ${question} ${answer}`,
    resolved: `- [resolved] ${question} <the answer>`,
  };
  const deferred = `- [${status}] ${question} Reason: <why it can wait>`;
  return [`- [${status}] ${text}`, settled[status] ?? deferred];
}

/** An empty reason passes: so it does in the original. */
function lacksReason({ status, text }: ReadinessItem): boolean {
  return status === "deferred_nonblocking" && !/reason:/i.test(text);
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
