import { firstOf } from "../../base/first-of.ts";
import { inline } from "../../base/json.ts";
import { linesOf, sectionUnder } from "../../base/markdown.ts";
import { plural } from "../../base/plural.ts";
import { plainWord } from "../../base/quote-text.ts";
import { durationText, instantOf } from "../../base/time.ts";
import { visibleText } from "../../base/visible-text.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Files, Report, ReportSection, ReportWants } from "../../protocol/protocol.ts";
import { outcomesOf } from "./conclusion.ts";
import { declaredStatus } from "./deliverable-rules.ts";
import { deliverablesIn, referenceOf } from "./deliverables.ts";
import { eventTexts } from "./event-texts.ts";
import { inspect } from "./inspect.ts";
import { evolve, isKnownEvent } from "./machine.ts";
import { isToBeWritten } from "./obligations.ts";
import { openGates, readinessItems } from "./readiness.ts";
import { requiredChanges } from "./reviews.ts";
import { neverBegins } from "./session-status.ts";
import { type CollaborationState, named } from "./state.ts";

/** A collaboration's story for a person: its outcome, who brought it about, and what stays open. */
export function report(
  state: CollaborationState,
  events: readonly LogEvent[],
  { files, before }: Pick<ReportWants<CollaborationState>, "files" | "before">,
): Report {
  const textOf = (path: string) => files.get(path)?.text ?? "";
  const readiness = textOf("readiness.md");
  const effective = effectiveEvents(before, events);
  const [conclusion, decisions] = [textOf("conclusion.md"), textOf("decisions.md")];
  const sections: ReportSection[] = [
    { heading: "Conclusion", lines: conclusionLines(state, conclusion) },
    ...state.settings.participants.map((name) => deedsOf(state, name, effective, files)),
    { heading: "Decisions", lines: decisionLines(decisions) },
    { heading: "Open questions", lines: questionLines(readiness, "blocking", "unresolved") },
    { heading: "Deferred questions", lines: questionLines(readiness, "deferred_nonblocking") },
    { heading: "Resolved questions", lines: questionLines(readiness, "resolved") },
    { heading: "Completion gates", lines: gateLines(state, files) },
    { heading: "Deliverables", lines: deliverableLines(state, files) },
    { heading: "Rules broken on the way", lines: brokenRules(state) },
    { heading: "Rules not kept", lines: unkeptLines(state, events, files, before) },
  ];
  return {
    title: state.settings.objective,
    verdict: verdictOf(state, conclusion),
    facts: factsOf(state),
    sections: sections.filter(({ lines }) => lines.length > 0),
  };
}

function verdictOf(state: CollaborationState, conclusion: string): string {
  const { phase, waitingFor, blocked } = state;
  if (phase === "completed") {
    const [outcome, ...rest] = outcomesOf(conclusion);
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

function factsOf({ settings, owner, seq, startedAt, lastAt }: CollaborationState): string[] {
  const { participants, objective, schema } = settings;
  const names = participants.map((name) =>
    name === owner ? `${plainWord(name)} (proposal owner)` : plainWord(name),
  );
  const tookMs = (instantOf(lastAt) ?? Number.NaN) - (instantOf(startedAt) ?? Number.NaN);
  const span =
    startedAt === "" ? "" : `, ${startedAt} to ${lastAt} (${durationText(tookMs / 1_000)})`;
  return [
    `Objective: ${inline(objective, 1_000)}`,
    `Participants: ${names.join(", ")}`,
    `${plural(seq, "event")}${span}, schema ${schema}`,
  ];
}

/** The events that broke no rule and so changed something. */
function effectiveEvents(before: CollaborationState, events: readonly LogEvent[]): LogEvent[] {
  let state = before;
  return events.filter((event) => {
    const { faultsCount } = state;
    state = evolve(state, event);
    return state.faultsCount === faultsCount;
  });
}

/** The template of conclusion.md says nothing; only that of a completed collaboration counts. */
function conclusionLines({ phase }: CollaborationState, conclusion: string): string[] {
  if (phase !== "completed") return [];
  return ["Rationale", "Implementation Approach", "Next Action"].flatMap((heading) => {
    const lines = sectionUnder(conclusion, heading);
    return lines.length === 0 ? [] : [`${heading}:`, "", ...quotedCut(lines), ""];
  });
}

/** Everything that one participant brought about, in order, with what its reviews required. */
function deedsOf(
  state: CollaborationState,
  name: string,
  effective: readonly LogEvent[],
  files: Files,
): ReportSection {
  const own = effective.filter(({ from }) => from === name);
  const reviews = files.get("review.md")?.text ?? "";
  const lastAcceptance = own.findLast(({ event }) => event === "decision_accepted");
  const standsSeq = state.accepted.includes(name) ? lastAcceptance?.seq : undefined;
  const lines = bounded(own, deedsMax, "the log").flatMap((deed) => {
    if (typeof deed === "string") return [deed];
    const { seq, event, summary, doc } = deed;
    const isVoid = event === "decision_accepted" && seq !== standsSeq;
    const remark = isVoid ? " (void since: the decision was put again)" : "";
    const isAbout = typeof doc === "string" && event.startsWith("deliverable_");
    const what = isAbout ? ` ${inline(doc)}` : "";
    const done = isKnownEvent(state, event) ? eventTexts[event].done : inline(event);
    const line = `- seq ${seq}: ${done}${what}${remark}: ${inline(summary)}`;
    const required = event === "review_submitted" ? requiredChanges(reviews, name, seq) : [];
    return required.length === 0
      ? [line]
      : [line, "", "  It required:", ...quotedCut(required), ""];
  });
  const none = [`- nothing yet${state.waitingFor.includes(name) ? "; is waited for" : ""}`];
  return { heading: `What ${plainWord(name)} did`, lines: lines.length > 0 ? lines : none };
}

const deedsMax = 40;

/** The headings of single decisions and the points below them. */
function decisionLines(decisions: string): string[] {
  const said = linesOf(decisions).filter((line) => /^(?:#{3,6}\s|\s*[-*]\s)/.test(line));
  return quotedCut(
    said.filter((line) => !isToBeWritten(line)),
    "decisions.md",
  );
}

function questionLines(readiness: string, ...statuses: readonly string[]): string[] {
  const items = readinessItems(readiness).filter(({ status }) => statuses.includes(status));
  const lines = items.map(({ status, text }) =>
    statuses.length > 1 ? `- ${status}: ${inline(text, 500)}` : `- ${inline(text, 500)}`,
  );
  return bounded(lines, linesMax, "readiness.md");
}

function gateLines(state: CollaborationState, files: Files): string[] {
  const lines = gateStatuses(state, files).map(({ line }) => `- ${line}`);
  return bounded(lines, linesMax, "protocol.json");
}

/** Each completion gate: whether it is met, and a line that says by whose word. */
export function gateStatuses({ settings, owner }: CollaborationState, files: Files) {
  const { gates } = settings;
  const open = new Set(openGates(files.get("readiness.md")?.text ?? "", gates));
  return gates.map((gate) => {
    const [met, shown] = [!open.has(gate), inline(gate, 500)];
    const line = met ? `met: ${shown} (ticked by ${named([owner])}, not run)` : `NOT met: ${shown}`;
    return { met, line };
  });
}

function deliverableLines({ settings, ...state }: CollaborationState, files: Files): string[] {
  const { deliverables } = settings;
  if (deliverables === null) return [];
  const lines = deliverablesIn(deliverables).map((deliverable, index) => {
    const { path, type } = deliverable;
    const reference = referenceOf(deliverables, deliverable);
    const status = declaredStatus(files.get(path)?.text ?? "") || "no status";
    const ofSupporting = state.supportingFrozen.find((it) => it.path === reference);
    const frozen = index === 0 ? state.frozen : ofSupporting;
    const now = files.get(path)?.sha256;
    const hash = frozen?.sha256 ?? now;
    const role = index === 0 ? "primary" : "supporting";
    return [
      `- ${role} ${inline(reference)} (${inline(type)}): ${files.has(path) ? status : "MISSING"}`,
      ...(frozen ? [`frozen by seq ${frozen.seq}`] : []),
      ...(hash === undefined ? [] : [`SHA-256 ${hash}`]),
      ...(frozen && now !== undefined && now !== frozen.sha256 ? ["CHANGED since"] : []),
    ].join(", ");
  });
  return bounded(lines, linesMax, "protocol.json");
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
  return bounded(
    unkept.map((rule) => `- ${rule}`),
    deedsMax,
    "validate",
  );
}

const linesMax = 60;

/** Someone else's lines as a quotation, cut where it gets long. */
function quotedCut(lines: readonly string[], where = "the document"): string[] {
  const cut = (line: string) => (line.length > 500 ? `${line.slice(0, 500)}...` : line);
  return bounded(
    lines.map((line) => `> ${visibleText(cut(line))}`),
    linesMax,
    where,
  );
}

/** The first items, and a line that says how many are left out and where they stand. */
function bounded<Item>(items: readonly Item[], itemsMax: number, where: string): (Item | string)[] {
  return firstOf(items, itemsMax, (more) => `- and ${more} more in ${where}`);
}
