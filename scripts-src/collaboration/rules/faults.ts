import { inline } from "../../base/json.ts";

/** The text of each fault by its code, as `validate` says it: rules branch on the code, people read the text. */
const words = {
  // readiness.md
  blocking: (before: string) => `blocking readiness items must be cleared${before}`,
  unresolved: (before: string) => `unresolved readiness questions must be classified${before}`,
  "no reason": (before: string) => `deferred_nonblocking readiness items require a reason${before}`,
  "not ready": (before: string) => `readiness.md must check 'Ready to implement'${before}`,
  "open gates": (gates: string) => `completion gates must be checked before completed: ${gates}`,

  // conclusion.md
  "no sections": (sections: string) => `conclusion.md is missing required sections: ${sections}`,
  "not one outcome": () => "conclusion.md must declare exactly one final outcome",
  "blocked outcome": () => "conclusion.md outcome cannot be completed while blocked",
  placeholders: () => "conclusion.md must not contain unresolved placeholders before completed",
  "primary unnamed": () => "conclusion.md must reference the primary deliverable",

  // A deliverable
  "no status": (name: string, choice: string) => `${name} must include Status${choice}`,
  "status not frozen": (name: string) => `${name} status must be Frozen`,
  "section missing": (name: string, section: string) =>
    `${name} missing required section: ${section}`,
  "section empty": (name: string, section: string) =>
    `${name} section must not be empty when frozen: ${section}`,

  "no file": (event: string) => `${event} doc does not exist`,
  "hash differs": () => "deliverable_frozen sha256 does not match current file",
  "no heading": () => "review_submitted requires matching review.md heading",

  // The log
  "unknown event": (event: string) => `unknown event ${event}`,
  "no reply": () => "reply_to is required after initialized",
  "reply to none": () => "reply_to must point to an earlier event",
  "no time": () => "at must be an ISO-8601 timestamp",
  "time runs back": () => "at must not be earlier than the previous event",
  "wrong phase": (event: string, phase: string) => `${event} is not allowed from phase ${phase}`,
  "not listed": (event: string) => `${event} participant is not listed in protocol.json`,
  reserved: (what: string, names: string, got: string) =>
    `${what} is reserved for ${names}; got ${got}`,
  "not first": () => "initialized must be seq 1",
  "not drafted": () => "proposal_submitted requires prior primary deliverable_drafted",
  "no reviewer": () => "proposal_submitted requires at least one reviewer",
  "not classified": () =>
    "decision_accepted requires question_classified after the latest proposal or decision",
  "frozen before": () => "deliverable_revised is not allowed after deliverable_frozen",
  "frozen twice": () => "primary deliverable can be frozen only once",
  "not frozen": () => "readiness_passed requires primary deliverable_frozen",
  "readiness not passed": () => "completed requires a prior readiness_passed event",
  "no conclusion": () => "completed must reference conclusion.md",
  "no phase before": () =>
    "unblocked has no phase to go back to: nothing was initialized before blocked",
  "no role": () => "deliverable events require role",
  "no doc": () => "deliverable events require doc",
  "not the primary": () => "doc must reference the primary deliverable",
  "not a supporting one": () => "doc must reference a declared supporting deliverable",
  "no hash": () => "deliverable_frozen requires sha256",

  // protocol.json
  "not acp": () => "protocol.json protocol must be 'acp'",
  "schema version": () => "protocol.json schemaVersion must be 2",
  "unknown phase": (known: string) => `currentPhase must be one of [${known}]`,
  "no objective": () => "protocol.json objective must not be blank",
  "no participants": () => "protocol.json participants must not be empty",
  "no gates": () => "protocol.json completionGates must not be empty",
  "protocol version": () => "protocol.json must not include a protocol version field",
  "no key": (key: string) => `protocol.json ${key} must be present`,
  "gate form": (gate: string) => `completionGates[${gate}] must include source and text`,
  "obsolete file": (file: string) => `completion gate must not reference obsolete file ${file}`,
  "no primary": () => "protocol.json deliverables.primary is required",
  "root given": () => "repoRoot is not allowed for internal deliverables",
  "unknown mode": () => "deliverables.mode must be internal or external",
  "no root": () => "repoRoot is required for external deliverables",
  "absolute root": () => "repoRoot must be relative",
  "not inside root": () => "collaboration folder must be inside repoRoot",
  "no dir": () => "deliverables.dir is required",
  "leads out": (what: string) => `${what} must be relative and must not contain ..`,
  "unknown type": (role: string) => `${role} deliverable type is invalid`,
  "not Markdown": (role: string) => `${role} deliverable file must be Markdown`,
  "no checklist": () => "custom primary deliverable requires checklist",
  "primary again": () => "supporting deliverable must not reuse the primary deliverable file",
  "same file": () => "supporting deliverable files must be unique",
  "attachment form": () => "attachments must be objects",
  "no attachment": () => "attachment file is required",
} satisfies Record<string, (...names: string[]) => string>;

export type FaultCode = keyof typeof words;

/** What to do about a fault in a document, for each place of it: the line, and how it must look. */
const tasks = {
  blocking: settled,
  unresolved: settled,
  "no reason": settled,
  "not ready": mustBecome,
  "open gates": (checked: string, open = "") =>
    `gate is not checked: once it is met, ${open === "" ? `write the line ${inline(checked, 400)}` : mustBecome(open, checked)}`,
  "no sections": missing,
  "not one outcome": (wanted: string, came: string) =>
    `exactly one line must be ${inline(wanted)}; ${came} came`,
  "blocked outcome": mustBecome,
  placeholders: (lines: string, shown: string) =>
    `write what is true in place of TBD, TODO, unresolved or \u5f85\u5b9a, in ${lines} lines such as ${shown}`,
  "primary unnamed": (reference: string) => `name the primary deliverable: ${reference}`,
  "no status": () => 'needs a line "Status: Draft" below its title',
  "status not frozen": (status: string) =>
    `${status === "" ? "needs a line" : `its line "Status: ${status}" must become`} "Status: Frozen" when all else is written`,
  "section missing": missing,
  "section empty": (section: string) => `the section ${inline(`## ${section}`)} is empty; write it`,
} satisfies Partial<Record<FaultCode, (...place: string[]) => string>>;

/** What a line of a document is to be, with a blank for each word that is its writer's. */
function mustBecome(line: string, wanted: string): string {
  return `line ${inline(line, lineCharacters)} must become ${inline(wanted, 2 * lineCharacters)}`;
}

const lineCharacters = 160;

/** A question of readiness.md: one line may have several faults, and is told once. */
function settled(line: string, wanted: string): string {
  const first = line.startsWith("- [blocking]") ? "once it is settled, " : "";
  return `${first}${mustBecome(line, wanted)}`;
}

function missing(section: string): string {
  return `the section ${inline(`## ${section}`)} is missing; write it`;
}

/** A rule that is broken: found once, told by validator and `eventFaults` as text, before the event as tasks. */
export interface Fault {
  readonly code: FaultCode;
  readonly text: string;
  /** What to do about it, one line each; none where the text says all. */
  readonly tasks: readonly string[];
}

export function fault(code: FaultCode, ...names: string[]): Fault {
  const table: Record<FaultCode, (...given: string[]) => string> = words;
  return { code, text: table[code](...names), tasks: [] };
}

/** A fault with its places in a document. */
export function faultAt(
  code: keyof typeof tasks,
  names: readonly string[],
  ...places: (readonly string[])[]
): Fault {
  const table: Record<keyof typeof tasks, (...place: string[]) => string> = tasks;
  return { ...fault(code, ...names), tasks: places.map((place) => table[code](...place)) };
}

/** What to do about all of them, each once. */
export function tasksOf(faults: readonly Fault[]): string[] {
  return [...new Set(faults.flatMap((it) => it.tasks))];
}

export function textsOf(faults: readonly Fault[]): string[] {
  return faults.map(({ text }) => text);
}

export function hasFault(faults: readonly Fault[], ...codes: FaultCode[]): boolean {
  return faults.some(({ code }) => codes.includes(code));
}

/** Why settings cannot be used; with a code when the validator reports the same fault. */
export interface UnusableFault {
  readonly code?: FaultCode;
  readonly text: string;
}

export function unusable(reason: string, code?: FaultCode): UnusableFault {
  if (code !== undefined) return { code, text: `${fault(code).text}: ${reason}` };
  return { text: `invalid protocol.json: ${reason}` };
}
