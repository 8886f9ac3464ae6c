import { type JsonObject, quote, strictObject } from "../../base/json.ts";
import { visibleText } from "../../base/visible-text.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Files, FileWanted, Inspection } from "../../protocol/protocol.ts";
import { deliverablesFaults } from "./deliverables-faults.ts";
import { type Fault, fault, hasFault, textsOf } from "./faults.ts";
import { gateEvidenceFile } from "./gate-checks.ts";
import { deliverableFaults, deliverableFiles, freezeFaults } from "./inspect-deliverables.ts";
import { documentRules } from "./obligations.ts";
import { forbiddenFiles, protocolFaults } from "./protocol-faults.ts";
import { acceptanceFaults } from "./readiness.ts";
import { headingFaults, reviewHeadings } from "./review-entries.ts";
import { reviewScopeFaults } from "./review-text.ts";
import { keysFault, type Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";
import { unkeptRules } from "./unkept.ts";

/** The documents that a collaboration must have beside its log. */
const documents = ["proposal.md", "review.md", "decisions.md", "readiness.md", "conclusion.md"];

/** The files that `inspect` looks at. Those of faulty deliverables are not among them. */
export function inspectionFiles(settings: Settings): FileWanted[] {
  const fixed = ["protocol.json", ...documents, ...forbiddenFiles, gateEvidenceFile];
  const texts = fixed.map((path) => ({ path, as: "text" }) as const);
  const wanted: FileWanted[] = [...texts, { path: "events.jsonl", as: "file" }];
  const { deliverables, raw } = settings;
  if (deliverables === null || deliverablesFaults(raw).length > 0) return wanted;
  return [...wanted, ...deliverableFiles(deliverables)];
}

/** The events that `inspect` always needs: it compares documents with them. */
const comparedEvents = new Set([
  "initialized",
  "review_submitted",
  "deliverable_frozen",
  "decision_accepted",
  "readiness_passed",
  "completed",
]);

/** Makes the filter of the events that `inspect` needs: the listed ones, and those that a heading of review.md names. */
export function isNeededToInspect(files: Files): (event: LogEvent) => boolean {
  const headings = reviewHeadings(files.get("review.md")?.text ?? "");
  return ({ event, seq }) => comparedEvents.has(event) || headings.has(seq);
}

/**
 * What is wrong with the documents of a collaboration and with its `protocol.json`, in the words
 * and the order of the original's validator. The faults of the log itself come from `audit`, in `logFaults`,
 * and are put at their place in that order; they are left out when `protocol.json` cannot be read, because the
 * log cannot be judged without it.
 * Never throws for what a file holds: a document that cannot be read is one fault, and its other checks are
 * skipped.
 */
export function inspect(
  state: CollaborationState,
  events: readonly LogEvent[],
  files: Files,
  logFaults: readonly string[] = [],
): Inspection {
  const protocol = readProtocol(files);
  if (typeof protocol === "string") {
    return { errors: asLines([protocol, ...fileFaults(files)]), warnings: [] };
  }
  const { settings } = state;
  // Where deliverables are declared wrongly, nobody has looked at their files.
  const isDeclared = settings.schema === 2 && deliverablesFaults(protocol).length === 0;
  const errors = [
    ...fileFaults(files),
    ...protocolErrors(protocol),
    ...headingFaults(events, textOf(files, "review.md")),
    ...reviewScopeFaults(settings, events, textOf(files, "review.md")),
    ...(isDeclared ? freezeFaults(settings, events, files) : []),
    ...logFaults,
    ...textsOf(lateBeginnings(events)),
    ...acceptancesFaults(events, textOf(files, "readiness.md")),
    ...stateFaults(state, protocol),
    ...(isDeclared ? deliverableFaults(settings, events, files) : []),
    ...endingFaults(settings, events, files),
  ];
  const told = asLines(errors);
  const unkept = asLines(unkeptRules(state, events, files, told));
  return { errors: told, warnings: warningsOf(events, files), unkept };
}

/**
 * The faults of `protocol.json` in the validator's words; where it has none for the one that makes the settings
 * unusable, also that one, in ours.
 */
function protocolErrors(protocol: JsonObject): string[] {
  const faults = protocolFaults(protocol);
  const own = keysFault(protocol);
  const isTold = own?.code !== undefined && hasFault(faults, own.code);
  return [...textsOf(faults), ...(own === undefined || isTold ? [] : [own.text])];
}

function lateBeginnings(events: readonly LogEvent[]): Fault[] {
  const isLate = events.some(({ event, seq }) => event === "initialized" && seq !== 1);
  return isLate ? [fault("not first")] : [];
}

/** Each fault once, on a line of its own, whatever a gate or a file name holds. */
function asLines(errors: readonly string[]): string[] {
  return [...new Set(errors)].map((error) => visibleText(error).replaceAll("\n", "\\n"));
}

/** The object that `protocol.json` holds, or why there is none. */
function readProtocol(files: Files): JsonObject | string {
  const fact = files.get("protocol.json");
  if (fact === undefined) return "missing protocol.json";
  if (fact.text === undefined) return `invalid protocol.json: it ${fact.fault ?? "has no text"}`;
  const value = strictObject(fact.text);
  return typeof value === "string" ? `invalid protocol.json: ${value}` : value;
}

/** The text of a document, "" of one that is missing; undefined when it cannot be read. */
function textOf(files: Files, path: string): string | undefined {
  return files.has(path) ? files.get(path)?.text : "";
}

function fileFaults(files: Files): string[] {
  const missing = ["events.jsonl", ...documents].flatMap((path) => {
    const fact = files.get(path);
    if (fact === undefined) return [`missing ${path}`];
    return fact.text === undefined && path !== "events.jsonl"
      ? [`${path} ${fact.fault ?? "has no text"}`]
      : [];
  });
  const forbidden = forbiddenFiles.filter((path) => files.has(path));
  const advice = "is not part of the protocol; remove it and use events.jsonl/readiness.md instead";
  return [...missing, ...forbidden.map((path) => `${path} ${advice}`)];
}

/**
 * The faults of readiness.md once more for each `decision_accepted`, with its seq: the original's replay prints
 * them so, beside those of `endingFaults`.
 */
function acceptancesFaults(events: readonly LogEvent[], readiness: string | undefined): string[] {
  if (readiness === undefined) return [];
  const faults = acceptanceFaults(readiness);
  if (faults.length === 0) return [];
  const accepted = events.filter(({ event }) => event === "decision_accepted");
  return accepted.flatMap(({ seq }) => faults.map(({ text }) => `seq ${seq}: ${text}`));
}

/** Where `protocol.json` says otherwise than the log. `protocolErrors` reports a missing key. */
function stateFaults(state: CollaborationState, protocol: JsonObject): string[] {
  const { currentPhase, proposalOwner, waitingFor } = protocol;
  const { phase } = state;
  const faults: string[] = [];
  if (phase !== "new" && currentPhase !== phase) {
    faults.push(`protocol.json currentPhase is ${quote(currentPhase ?? null)}, expected ${phase}`);
  }
  if (proposalOwner !== undefined && state.owner !== "" && proposalOwner !== state.owner) {
    const owner = quote(state.owner);
    faults.push(`protocol.json proposalOwner is ${quote(proposalOwner)}, expected ${owner}`);
  }
  if (waitingFor !== undefined && JSON.stringify(waitingFor) !== JSON.stringify(state.waitingFor)) {
    const expected = quote(state.waitingFor);
    faults.push(`protocol.json waitingFor is ${quote(waitingFor)}, expected ${expected}`);
  }
  return faults;
}

/** What the documents must hold once the log says that they do. */
function endingFaults(settings: Settings, events: readonly LogEvent[], files: Files): string[] {
  const due = Object.entries(documentRules).filter(([event]) => has(events, event));
  const faults = due.flatMap(([, rules]) =>
    Object.entries(rules).flatMap(([path, find]) => {
      const text = textOf(files, path);
      return text === undefined ? [] : find(text, settings);
    }),
  );
  return textsOf(faults);
}

function warningsOf(events: readonly LogEvent[], files: Files): string[] {
  const readiness = textOf(files, "readiness.md");
  if (readiness === undefined || has(events, "completed")) return [];
  if (!hasFault(acceptanceFaults(readiness), "no reason")) return [];
  return ["deferred_nonblocking readiness items should include a reason"];
}

function has(events: readonly LogEvent[], name: string): boolean {
  return events.some(({ event }) => event === name);
}
