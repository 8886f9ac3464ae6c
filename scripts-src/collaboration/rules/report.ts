import { plainWord } from "../../base/escape-untrusted-text.ts";
import { inline } from "../../base/json.ts";
import { instantOf } from "../../base/parse-offset-time.ts";
import { plural } from "../../base/plural.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Files, Report, ReportSection } from "../../protocol/protocol.ts";
import { outcomesOf } from "./conclusion-document.ts";
import { eventTexts } from "./event-texts.ts";
import { evolve } from "./evolve.ts";
import { inspect } from "./inspect.ts";
import { isKnownEvent } from "./machine.ts";
import { bounded, documentSections, quotedCut } from "./report-documents.ts";
import { requiredChanges } from "./review-entries.ts";
import { neverBegins } from "./session-status.ts";
import type { CollaborationState } from "./state.ts";

/** A collaboration's story for a person: its outcome, who brought it about, and what stays open. */
export function report(
  state: CollaborationState,
  events: readonly LogEvent[],
  files: Files,
  before: CollaborationState,
): Report {
  const history = historyOf(before, events);
  const [conclusion, ...documents] = documentSections(state, files);
  const sections = [
    ...(conclusion === undefined ? [] : [conclusion]),
    ...state.settings.participants.map((name) => deedsOf(state, name, history.told, files)),
    ...documents,
    { heading: "Rules broken on the way", lines: brokenRules(state) },
    { heading: "Rules not kept", lines: unkeptLines(state, events, files, before) },
    { heading: "How long each was waited for", lines: waits(history) },
  ];
  return {
    title: state.settings.objective,
    verdict: verdictOf(state, files),
    facts: factsOf(state),
    sections: sections.filter(({ lines }) => lines.length > 0),
  };
}

function verdictOf(state: CollaborationState, files: Files): string {
  const { phase, waitingFor, blocked } = state;
  if (phase === "completed") {
    const [outcome, ...rest] = outcomesOf(files.get("conclusion.md")?.text ?? "");
    const one = outcome !== undefined && rest.length === 0;
    return `COMPLETED: ${one ? outcome : "conclusion.md no longer declares one outcome"}`;
  }
  if (blocked !== null) {
    const where = `seq ${blocked.seq}, in ${blocked.phase}`;
    return `BLOCKED by ${plainWord(blocked.by)} (${where}): ${inline(blocked.reason)}`;
  }
  if (neverBegins(state)) return "NEVER BEGUN: the log begins with an event that cannot begin one";
  return `OPEN: ${phase}, waiting for ${waitingFor.map(plainWord).join(", ") || "nobody"}`;
}

function factsOf(state: CollaborationState): string[] {
  const { participants, objective, schema } = state.settings;
  const names = participants.map((name) =>
    name === state.owner ? `${plainWord(name)} (proposal owner)` : plainWord(name),
  );
  const { startedAt, lastAt } = state;
  const tookMs = (instantOf(lastAt) ?? Number.NaN) - (instantOf(startedAt) ?? Number.NaN);
  const span = startedAt === "" ? "" : `, ${startedAt} to ${lastAt} (${duration(tookMs)})`;
  return [
    `Objective: ${inline(objective, 1_000)}`,
    `Participants: ${names.join(", ")}`,
    `${plural(state.seq, "event")}${span}, schema ${schema}`,
  ];
}

/** Everything that one participant brought about, in order, with what its reviews required. */
function deedsOf(
  state: CollaborationState,
  name: string,
  told: readonly HistoryEvent[],
  files: Files,
): ReportSection {
  const own = told.filter(({ event, ignored }) => event.from === name && !ignored);
  const reviews = files.get("review.md")?.text ?? "";
  const lines = bounded(own, deedsMax, "the log").flatMap((deed) =>
    typeof deed === "string" ? [deed] : deedLines(state, deed.event, own, reviews),
  );
  const none = [`- nothing yet${state.waitingFor.includes(name) ? "; is waited for" : ""}`];
  return { heading: `What ${plainWord(name)} did`, lines: lines.length > 0 ? lines : none };
}

const deedsMax = 40;

function deedLines(
  state: CollaborationState,
  event: LogEvent,
  own: readonly HistoryEvent[],
  reviews: string,
): string[] {
  const { seq, from, event: name, summary } = event;
  const isVoid =
    name === "decision_accepted" && !(state.accepted.includes(from) && isLastAcceptance(seq, own));
  const remark = isVoid ? " (void since: the decision was put again)" : "";
  const doc = typeof event["doc"] === "string" && name.startsWith("deliverable_");
  const what = doc ? ` ${inline(String(event["doc"]))}` : "";
  const line = `- seq ${seq}: ${isKnownEvent(state, name) ? eventTexts[name].done : inline(name)}${what}${remark}: ${inline(summary)}`;
  if (name !== "review_submitted") return [line];
  const required = requiredChanges(reviews, from, seq);
  return required.length === 0 ? [line] : [line, "", "  It required:", ...quotedCut(required), ""];
}

function isLastAcceptance(seq: number, own: readonly HistoryEvent[]): boolean {
  return own.findLast(({ event }) => event.event === "decision_accepted")?.event.seq === seq;
}

function brokenRules({ faults, faultsCount }: CollaborationState): string[] {
  const lines = faults.map(({ seq, reason }) => `- seq ${seq}: ${inline(reason)}; ignored`);
  const more = faultsCount - faults.length;
  return more > 0
    ? [...lines, `- ${plural(more, "more event")} ignored; validate names all`]
    : lines;
}

/** Without its first events nobody can tell which documents are sound. */
function unkeptLines(
  state: CollaborationState,
  events: readonly LogEvent[],
  files: Files,
  before: CollaborationState,
): string[] {
  if (before.seq > 0) return [];
  const broken = state.faults.map(({ seq, reason }) => `seq ${seq}: ${reason}`);
  const { unkept = [] } = inspect(state, events, files, broken);
  const lines = unkept.map((rule) => `- ${rule}`);
  return bounded(lines, unkeptMax, "validate");
}

const unkeptMax = 40;

function waits({ waitedMs }: History): string[] {
  return [...waitedMs].map(([name, ms]) => `- ${plainWord(name)}: ${duration(ms)}`);
}

/** The two largest units that count. */
function duration(milliseconds: number): string {
  if (!(milliseconds >= 0)) return "unknown";
  const seconds = Math.floor(milliseconds / 1_000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first === -1) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}

/** An event of the log, and whether it broke a rule and so changed nothing. */
export interface HistoryEvent {
  readonly event: LogEvent;
  readonly ignored: boolean;
}

/** What a whole log tells beside the state that it leads to. */
export interface History {
  readonly told: HistoryEvent[];
  /** How long each participant was waited for, in the log's own times. */
  readonly waitedMs: ReadonlyMap<string, number>;
}

export function historyOf(before: CollaborationState, events: readonly LogEvent[]): History {
  const waitedMs = new Map(before.settings.participants.map((name) => [name, 0]));
  const told: HistoryEvent[] = [];
  let state = before;
  for (const event of events) {
    const spentMs =
      (instantOf(event.at) ?? 0) - (instantOf(state.lastAt) ?? Number.POSITIVE_INFINITY);
    // A time that is none, or that runs backward, tells nothing about a wait.
    if (spentMs > 0) {
      for (const name of state.waitingFor) waitedMs.set(name, (waitedMs.get(name) ?? 0) + spentMs);
    }
    const after = evolve(state, event);
    told.push({ event, ignored: after.faultsCount > state.faultsCount });
    state = after;
  }
  return { told, waitedMs };
}
