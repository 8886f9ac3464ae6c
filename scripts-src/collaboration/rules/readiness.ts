import { bulletsOf, linesOf } from "../../base/markdown.ts";
import { type Fault, faultAt } from "./faults.ts";

/** A classified question of readiness.md: `- [status] text`. */
export interface ReadinessItem {
  status: string;
  text: string;
}

/**
 * The items of readiness.md as the original sees them: any `- [word]` line of the whole file. Unknown
 * words are among them and mean nothing; `*` bullets are not items.
 */
export function readinessItems(text: string): ReadinessItem[] {
  return bulletsOf(text)
    .filter(({ mark }) => /^[A-Za-z_]+$/.test(mark))
    .map(({ mark, text: said }) => ({ status: mark, text: said }));
}

/** What a template or its writer puts where there is nothing to say. */
export function isEmptyLine(line: string): boolean {
  return /^(?:[-*]\s*)?(?:none\.?|n\/a\.?|nothing\.?|TBD\.?)?$/i.test(line.trim());
}

/** Why readiness.md does not allow `decision_accepted`. */
export function acceptanceFaults(readiness: string): Fault[] {
  return itemFaults(readiness, " before decision_accepted", " before decision_accepted");
}

/** Why readiness.md does not allow `readiness_passed` and `completed`. */
export function readinessFaults(readiness: string): Fault[] {
  const before = " before readiness_passed or completed";
  // The original compares the beginning only: `Ready to implement later` passes.
  const isReady = checkedIn(readiness).some((text) => text.startsWith("Ready to implement"));
  const place = ["- [ ] Ready to implement", "- [x] Ready to implement"];
  return [
    ...itemFaults(readiness, before, ""),
    ...(isReady ? [] : [faultAt("not ready", [before], place)]),
  ];
}

/** Which completion gates readiness.md does not show as checked. */
export function gateFaults(readiness: string, gates: readonly string[]): Fault[] {
  const open = openGates(readiness, gates);
  if (open.length === 0) return [];
  const lines = new Set(linesOf(readiness).map((line) => line.trim()));
  const places = open.map((gate) => {
    const unchecked = `- [ ] ${gate}`;
    return [`- [x] ${gate}`, ...(lines.has(unchecked) ? [unchecked] : [])];
  });
  return [faultAt("open gates", [open.join(", ")], ...places)];
}

/** The gates that are not checked; a gate's line is its exact text. */
export function openGates(readiness: string, gates: readonly string[]): string[] {
  const checked = new Set(checkedIn(readiness).map((text) => text.trim()));
  return gates.filter((gate) => !checked.has(gate.trim()));
}

function checkedIn(readiness: string): string[] {
  return bulletsOf(readiness).flatMap(({ mark, text }) => (/^[xX]$/.test(mark) ? [text] : []));
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

const statuses = ["resolved", "deferred_nonblocking", "blocking", "unresolved"];

/** TBD under any status is an open question, whatever the status says. */
function isUnresolved({ status, text }: ReadinessItem): boolean {
  return status === "unresolved" || (statuses.includes(status) && text.includes("TBD"));
}
