import { type JsonObject, quote, strictObject } from "../../base/json.ts";
import { visibleText } from "../../base/visible-text.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Files, Inspection } from "../../protocol/protocol.ts";
import { deliverableFaults, freezeFaults } from "./deliverable-rules.ts";
import { deliverablesFaults, forbiddenFiles } from "./deliverables.ts";
import { fault, hasFault, textsOf } from "./faults.ts";
import { documents } from "./files.ts";
import { documentRules } from "./obligations.ts";
import { acceptanceFaults } from "./readiness.ts";
import { headingFaults, reviewHeadings, reviewScopeFaults } from "./reviews.ts";
import { unkeptRules } from "./seed-rules.ts";
import { protocolErrors } from "./settings.ts";
import type { CollaborationState } from "./state.ts";

/** Makes the filter of the events that `inspect` needs: those below, and those that a heading of review.md names. */
export function isNeededToInspect(files: Files): (event: LogEvent) => boolean {
  const headings = reviewHeadings(files.get("review.md")?.text ?? "");
  return ({ event, seq }) => comparedEvents.includes(event) || headings.has(seq);
}

const comparedEvents = [
  ...["initialized", "review_submitted", "deliverable_frozen"],
  ...["decision_accepted", "readiness_passed", "completed"],
];

/**
 * What is wrong with the documents of a collaboration and with its `protocol.json`, in the words
 * and the order of the original's validator. The faults of the log itself come from `eventFaults`, in `logFaults`,
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
  const has = (name: string) => events.some(({ event }) => event === name);
  const isLate = events.some(({ event, seq }) => event === "initialized" && seq !== 1);
  const errors = asLines([
    ...fileFaults(files),
    ...protocolErrors(protocol),
    ...inText(files, "review.md", (review) => [
      ...headingFaults(events, review),
      ...(has("review_submitted") ? reviewScopeFaults(settings, review) : []),
    ]),
    ...(isDeclared ? freezeFaults(settings, events, files) : []),
    ...logFaults,
    ...(isLate ? [fault("not first").text] : []),
    ...inText(files, "readiness.md", (readiness) => acceptancesFaults(events, readiness)),
    ...stateFaults(state, protocol),
    ...(isDeclared ? deliverableFaults(settings, events, files) : []),
    // What the documents must hold once the log says that they do.
    ...Object.entries(documentRules)
      .filter(([event]) => has(event))
      .flatMap(([, rules]) => Object.entries(rules))
      .flatMap(([path, find]) => inText(files, path, (text) => textsOf(find(text, settings)))),
  ]);
  const lackReasons = inText(files, "readiness.md", (readiness) =>
    hasFault(acceptanceFaults(readiness), "no reason")
      ? ["deferred_nonblocking readiness items should include a reason"]
      : [],
  );
  return {
    errors,
    warnings: has("completed") ? [] : lackReasons,
    unkept: asLines(unkeptRules(state, events, files, errors)),
  };
}

/** What is found in a document, as if it were empty where it is missing; nothing in one that cannot be read. */
function inText(files: Files, path: string, find: (text: string) => string[]): string[] {
  const text = files.has(path) ? files.get(path)?.text : "";
  return text === undefined ? [] : find(text);
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

/** The faults of readiness.md for each `decision_accepted`, with its seq: the original's replay prints them so. */
function acceptancesFaults(events: readonly LogEvent[], readiness: string): string[] {
  const faults = textsOf(acceptanceFaults(readiness));
  if (faults.length === 0) return [];
  const accepted = events.filter(({ event }) => event === "decision_accepted");
  return accepted.flatMap(({ seq }) => faults.map((text) => `seq ${seq}: ${text}`));
}

/** Where `protocol.json` says otherwise than the log. `protocolErrors` reports a missing key. */
function stateFaults(
  { phase, owner, waitingFor }: CollaborationState,
  protocol: JsonObject,
): string[] {
  const told = [
    ["currentPhase", phase, phase !== "new"],
    ["proposalOwner", owner, owner !== "" && protocol["proposalOwner"] !== undefined],
    ["waitingFor", waitingFor, protocol["waitingFor"] !== undefined],
  ] as const;
  return told
    .filter(([key, is, isTold]) => isTold && JSON.stringify(protocol[key]) !== JSON.stringify(is))
    .map(([key, is]) => {
      const expected = key === "currentPhase" ? is : quote(is);
      return `protocol.json ${key} is ${quote(protocol[key] ?? null)}, expected ${expected}`;
    });
}
