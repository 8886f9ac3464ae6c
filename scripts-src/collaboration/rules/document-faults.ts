import { inline, quote } from "../../base/json.ts";
import type { FileFact, Files } from "../../protocol/protocol.ts";
import { conclusionFaults } from "./conclusion-document.ts";
import { deliverableOf, isDeliverableEvent } from "./deliverable-events.ts";
import { sectionGaps } from "./deliverable-sections.ts";
import type { Deliverable } from "./deliverables.ts";
import { statusOf, upOf } from "./deliverables.ts";
import { type Draft, isInside } from "./draft.ts";
import { textsOf } from "./faults.ts";
import { acceptanceFaults, gateFaults, readyFaults } from "./readiness.ts";
import type { Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";

/** What is wrong with the file of a deliverable event; undefined when nothing is. */
export function deliverableFileFault(
  settings: Settings,
  draft: Draft,
  files: Files,
): string | undefined {
  if (!isDeliverableEvent(settings, draft.event)) return undefined;
  const deliverable = deliverableOf(settings, draft);
  const { deliverables } = settings;
  if (deliverable === undefined || deliverables === null) return undefined;
  const { path } = deliverable;
  if (deliverables.mode === "external" && deliverables.repoRoot.trim() === "") {
    return "repoRoot is required for external deliverables: correct it in protocol.json";
  }
  if (upOf(deliverables) === undefined || !isInside(path)) {
    return (
      `${quote(draft.doc)} is declared at a place where it cannot be: correct repoRoot, ` +
      "deliverables.dir and the file in protocol.json; validate names what is wrong"
    );
  }
  const fact = files.get(path);
  if (fact === undefined) return `${draft.event} doc does not exist: write ${path} first`;
  if (fact.fault !== undefined) return `${path} ${fact.fault}`;
  if (draft.event !== "deliverable_frozen" || fact.sha256 === draft.sha256) return undefined;
  return (
    "deliverable_frozen sha256 does not match current file: " +
    `${path} has ${fact.sha256}; give that when the file is final`
  );
}

/** What the documents hold against an event whose time is right; undefined when nothing. */
export function documentFault(
  state: CollaborationState,
  draft: Draft,
  files: Files,
): string | undefined {
  const faults = [...faultsIn(state, draft, files), ...docFaults(state.settings, draft, files)];
  return faults.length === 0 ? undefined : faults.join("; ");
}

function faultsIn(state: CollaborationState, draft: Draft, files: Files): string[] {
  const { settings, seq } = state;
  switch (draft.event) {
    case "decision_accepted":
      return inText("readiness.md", files, (text) =>
        acceptanceFaults(text).map((it) => `seq ${seq + 1}: ${it.text}`),
      );
    case "deliverable_frozen":
      return statusFaults(settings, draft, files);
    case "readiness_passed":
      return [...inText("readiness.md", files, passFaults), ...frozenFaults(state, files)];
    case "completed":
      return [
        ...inText("readiness.md", files, (text) => [
          ...passFaults(text),
          ...textsOf(gateFaults(text, settings.gates, " first")),
        ]),
        ...inText("conclusion.md", files, (text) => textsOf(conclusionFaults(text, settings))),
        ...frozenFaults(state, files),
      ];
    default:
      return [];
  }
}

/** Whoever accepted saw the items, so the original tells of them as of a fault of acceptance. */
function passFaults(readiness: string): string[] {
  return textsOf([...acceptanceFaults(readiness), ...readyFaults(readiness, " first")]);
}

/** The faults of a document's text; one that is missing has those of an empty one as well. */
function inText(path: string, files: Files, faultsOf: (text: string) => string[]): string[] {
  const fact = files.get(path);
  if (fact === undefined) {
    return [`missing ${path}: restore it or write it anew`, ...faultsOf("")];
  }
  return fact.text === undefined ? [unreadable(path, fact)] : faultsOf(fact.text);
}

function unreadable(path: string, fact: FileFact): string {
  return `${path} ${fact.fault ?? "cannot be read as text"}`;
}

/** Once it is frozen, nothing in it can be mended any more: the hash would not match. */
function statusFaults(settings: Settings, draft: Draft, files: Files): string[] {
  const deliverable = deliverableOf(settings, draft);
  if (deliverable === undefined) return [];
  const { path } = deliverable;
  return inText(path, files, (text) => {
    const status = statusOf(text);
    const found = status === "" ? "it has no Status line" : `its status is ${quote(status)}`;
    const unfrozen =
      `${path} must be Frozen after freeze: ${found}; write the line "Status: Frozen" ` +
      "into it first, then freeze it with its new sha256";
    return [...(status === "Frozen" ? [] : [unfrozen]), ...gapFaults(deliverable, text)];
  });
}

/** The original freezes such a file, and its validator faults it ever after. */
function gapFaults(deliverable: Deliverable, text: string): string[] {
  const gaps = sectionGaps(deliverable, text);
  if (gaps.length === 0) return [];
  const named = gaps.map(({ section, gap }) => `${inline(`## ${section}`)} is ${gap}`);
  return [
    `${deliverable.path} must have no section missing or empty when frozen: ${named.join(", ")}; ` +
      "write each of them first, then freeze it with its new sha256",
  ];
}

function frozenFaults({ settings, frozen }: CollaborationState, files: Files): string[] {
  const path = settings.deliverables?.primary.path;
  if (settings.schema === 1 || frozen === null || path === undefined) return [];
  const fact = files.get(path);
  if (fact?.sha256 === frozen.sha256) return [];
  const fault =
    fact === undefined
      ? "deliverable_frozen doc does not exist"
      : "deliverable_frozen sha256 does not match current file";
  return [`seq ${frozen.seq}: ${fault}: restore ${path} as it was frozen (${frozen.sha256})`];
}

/** `blocked` looks at nothing: it must be possible whatever became of the documents. */
function docFaults(settings: Settings, draft: Draft, files: Files): string[] {
  const { event, doc, review } = draft;
  if (event === "blocked" || isDeliverableEvent(settings, event)) return [];
  const isWrittenNow = review !== undefined && doc === "review.md";
  if (doc === undefined || isWrittenNow) return [];
  const fact = files.get(doc);
  if (fact !== undefined && fact.fault === undefined) return [];
  return [`doc ${quote(doc)} is no file in the collaboration folder: write it, or leave --doc out`];
}
