import { inline } from "../../base/json.ts";
import { linesOf } from "../../base/markdown.ts";
import type { Files } from "../../protocol/protocol.ts";
import {
  conclusionFaults,
  conclusionSections,
  hasPlaceholder,
  headingsOf,
  outcomes,
  outcomesOf,
} from "./conclusion-document.ts";
import { sectionGaps } from "./deliverable-sections.ts";
import { type Deliverable, declaredStatus, primaryReference, referenceOf } from "./deliverables.ts";
import { hasFault } from "./faults.ts";
import { decisionsFaults } from "./inspect-decisions.ts";
import { acceptanceFaults, gateFaults, readinessFaults, readinessItems } from "./readiness.ts";
import type { Settings } from "./settings.ts";
import { type CollaborationState, type EventName, named, type ParticipantView } from "./state.ts";

/**
 * The work on documents that has to be done before an event, one item a line: the file, what is
 * missing, and how the line must look. `decide` rejects the event while an item is left.
 */
export function workBefore(
  view: ParticipantView,
  event: string,
  deliverable = view.state.settings.deliverables?.primary,
): string[] {
  const { files, state } = view;
  const { settings } = state;
  switch (event) {
    case "question_classified":
      return questionsOwed(view, isUnclassified);
    case "decision_accepted":
      return questionsOwed(view, isOpen);
    case "deliverable_frozen":
      return deliverable === undefined ? [] : freezeOwed(deliverable, files);
    case "readiness_passed":
      return [...inDocument("readiness.md", files, readinessOwed), ...frozenOwed(state, files)];
    case "completed":
      return [
        ...inDocument("readiness.md", files, (text) => [
          ...readinessOwed(text),
          ...gatesOwed(text, settings.gates),
        ]),
        ...inDocument("conclusion.md", files, (text) => conclusionOwed(text, settings)),
        ...frozenOwed(state, files),
      ];
    default:
      return [];
  }
}

/** All that a participant is told to do before an event: also what readers need and no rule demands. */
export function obligationsBefore(view: ParticipantView, event: EventName): string[] {
  const { files, state } = view;
  switch (event) {
    case "question_classified":
      return [
        ...questionsOwed(view, isOpen),
        ...blanksOwed(state.settings, files, "decisions.md"),
        ...decisionsOwed(view),
      ];
    case "decision_accepted":
      return [...workBefore(view, event), ...decisionsOwed(view)];
    case "proposal_submitted":
    case "proposal_revised":
      return blanksOwed(state.settings, files, "proposal.md");
    case "deliverable_drafted":
      return draftOwed(state.settings, files);
    default:
      return workBefore(view, event);
  }
}

/** The places of a template that nobody has filled in; the rules ask for nothing here, readers do. */
export function blanksOwed({ objective }: Settings, files: Files, path: string): string[] {
  const given = new Set(linesOf(objective));
  const text = files.get(path)?.text ?? "";
  const open = linesOf(text).filter((line) => isToBeWritten(line));
  const [first, ...more] = open.filter((line) => !given.has(line));
  if (first === undefined) return [];
  const others = more.length === 0 ? "" : ` and ${more.length} more such lines`;
  return [`${path}: fill in or cut ${inline(first.trim(), 80)}${others}`];
}

/** Whether a line is a place to fill in of our templates, or of the original's. */
export function isToBeWritten(line: string): boolean {
  return /^\s*(?:[-*]\s+)?(?:<TBD\b.*>|TBD(?::.*|\.?))\s*$/.test(line);
}

/** How decisions are numbered and tied to the deliverable, which the validator wants of schema 2. */
function decisionsOwed(view: ParticipantView): string[] {
  const { deliverables } = view.state.settings;
  const text = view.files.get("decisions.md")?.text;
  if (deliverables === null || text === undefined) return [];
  const declared = [deliverables.primary, ...deliverables.supporting];
  const references = declared.map((entry) => referenceOf(deliverables, entry));
  const faults = decisionsFaults(text, references);
  return faults.map((fault) => whoseTask(view, `decisions.md: ${fault}`));
}

/** A participant that accepts must not edit the owner's documents. */
function whoseTask({ state, participant }: ParticipantView, line: string): string {
  return participant === state.owner ? line : `${line} (for ${named([state.owner])} to write)`;
}

/** What is owed in a document; that it can be read at all comes first. */
function inDocument(path: string, files: Files, owed: (text: string) => string[]): string[] {
  const fact = files.get(path);
  if (fact === undefined) return [`${path}: is missing; write it`];
  if (fact.text === undefined) return [`${path} ${fact.fault ?? "cannot be read"}`];
  const lines = owed(fact.text).map((line) => `${path}: ${line}`);
  if (lines.length <= linesMax) return lines;
  return [...lines.slice(0, linesMax), `${path}: ${lines.length - linesMax} more like these`];
}

const linesMax = 20;

function questionsOwed(view: ParticipantView, isOwed: (item: string) => boolean): string[] {
  const lines = inDocument("readiness.md", view.files, (text) => itemsOwed(text, isOwed));
  return lines.map((line) => whoseTask(view, line));
}

function readinessOwed(readiness: string): string[] {
  const ready = lineOwed("- [ ] Ready to implement", "- [x] Ready to implement");
  const isReady = !hasFault(readinessFaults(readiness), "not ready");
  return [...itemsOwed(readiness, isOpen), ...(isReady ? [] : [ready])];
}

/** Nobody can accept it yet. */
function isOpen(item: string): boolean {
  return acceptanceFaults(item).length > 0;
}

/**
 * Nobody has said yet what it is: a blocker that is called one is classified. The template's own line asks
 * nothing: the originals classify over it, and so may whoever shares a folder with them.
 */
function isUnclassified(item: string): boolean {
  return (
    hasFault(acceptanceFaults(item), "unresolved") &&
    !/^- \[unresolved\] (?:TBD\.|<TBD\b)/.test(item)
  );
}

/** One line for each question that is still owed something, with what it may become. */
function itemsOwed(readiness: string, isOwed: (item: string) => boolean): string[] {
  return readinessItems(readiness).flatMap(({ status, text }) => {
    const line = `- [${status}] ${text}`;
    if (!isOwed(line)) return [];
    const first = status === "blocking" ? "once it is settled, " : "";
    return [`${first}${lineOwed(line, settledLine(status, text))}`];
  });
}

/** What a line of a document is to be, with a blank for each word that is its writer's. */
function lineOwed(line: string, wanted: string): string {
  return `line ${inline(line, lineCharacters)} must become ${inline(wanted, 2 * lineCharacters)}`;
}

const lineCharacters = 160;

function settledLine(status: string, text: string): string {
  const question = text.includes("TBD") ? "<the question>" : text;
  const answer = "<the answer, or Reason: why it can wait>";
  switch (status) {
    case "unresolved":
      return `- [<resolved|deferred_nonblocking|blocking>] ${question} ${answer}`;
    case "blocking":
      return `- [<resolved|deferred_nonblocking>] ${question} ${answer}`;
    case "resolved":
      return `- [resolved] ${question} <the answer>`;
    default:
      return `- [${status}] ${question} Reason: <why it can wait>`;
  }
}

function gatesOwed(readiness: string, gates: readonly string[]): string[] {
  if (gateFaults(readiness, gates).length === 0) return [];
  return gates
    .filter((gate) => gateFaults(readiness, [gate]).length > 0)
    .map((gate) => {
      const [open, checked] = [`- [ ] ${gate}`, `- [x] ${gate}`];
      const isThere = linesOf(readiness).some((line) => line.trim() === open);
      const line = isThere ? lineOwed(open, checked) : `write the line ${inline(checked, 400)}`;
      return `gate is not checked: once it is met, ${line}`;
    });
}

function conclusionOwed(conclusion: string, settings: Settings): string[] {
  const faults = conclusionFaults(conclusion, settings);
  const headings = headingsOf(conclusion);
  const lines = conclusionSections(settings.schema)
    .filter((section) => !headings.has(section))
    .map((section) => `the section "## ${section}" is missing`);
  if (hasFault(faults, "not one outcome", "blocked outcome")) {
    const found = linesOf(conclusion).filter((line) => outcomesOf(line).length > 0);
    const wanted = `- [<${outcomes.join("|")}>] <why>`;
    const count = outcomesOf(conclusion).length;
    lines.push(
      count === 1 && found[0] !== undefined
        ? lineOwed(found[0].trim(), wanted)
        : `exactly one line must be ${inline(wanted)}; ${count || "none"} came`,
    );
  }
  if (hasFault(faults, "placeholders")) {
    const unwritten = linesOf(conclusion).filter(hasPlaceholder);
    const shown = unwritten.slice(0, placeholdersShown).map((line) => inline(line, 80));
    lines.push(
      "write what is true in place of TBD, TODO, unresolved or \u5f85\u5b9a, in " +
        `${unwritten.length} lines such as ${[...new Set(shown)].join(", ")}`,
    );
  }
  if (hasFault(faults, "primary unnamed")) {
    lines.push(`name the primary deliverable: ${primaryReference(settings)}`);
  }
  return lines;
}

const placeholdersShown = 3;

/** What the primary deliverable needs before its draft is announced. */
function draftOwed({ deliverables }: Settings, files: Files): string[] {
  if (deliverables === null) return [];
  const { primary } = deliverables;
  return inDocument(primary.path, files, (text) => [
    ...(declaredStatus(text) === "" ? ['needs a line "Status: Draft" below its title'] : []),
    ...sectionGaps(primary, text)
      .filter(({ gap }) => gap === "missing")
      .map(({ section }) => `the section ${inline(`## ${section}`)} is missing`),
  ]);
}

/** What a deliverable needs before it is frozen: nothing in it can be changed afterwards. */
function freezeOwed(deliverable: Deliverable, files: Files): string[] {
  return inDocument(deliverable.path, files, (text) => {
    const status = declaredStatus(text);
    const gaps = sectionGaps(deliverable, text);
    return [
      ...gaps.map(
        ({ section, gap }) => `the section ${inline(`## ${section}`)} is ${gap}; write it`,
      ),
      ...(status === "Frozen" ? [] : [`${statusOwed(status)} when all else is written`]),
    ];
  });
}

function statusOwed(status: string): string {
  return status === ""
    ? 'needs a line "Status: Frozen"'
    : `its line "Status: ${status}" must become "Status: Frozen"`;
}

/** Whether the frozen file is still what it was. */
function frozenOwed({ settings, frozen }: CollaborationState, files: Files): string[] {
  const { deliverables } = settings;
  if (deliverables === null || frozen === null) return [];
  const { path } = deliverables.primary;
  if (files.get(path)?.sha256 === frozen.sha256) return [];
  const was = `seq ${frozen.seq} froze it as SHA-256 ${frozen.sha256}`;
  return [`${path}: is not what was frozen; restore it: ${was}`];
}
