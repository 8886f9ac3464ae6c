import { quote } from "../../base/json.ts";
import type { Files } from "../../protocol/protocol.ts";
import { type Deliverable, foldersUpOf, referenceOf } from "./deliverables.ts";
import { type CollaborationDraft, isInside } from "./draft.ts";
import { type Fault, fault } from "./faults.ts";
import type { Settings } from "./settings.ts";
import { deliverableEventNames } from "./state.ts";
import type { Attempt } from "./transitions.ts";

/** Whether the event is about a deliverable; only schema 2 has such events. */
export function isDeliverableEvent(settings: Settings, event: string): boolean {
  return settings.schema === 2 && deliverableEventNames.some((name) => name === event);
}

/** The declared deliverable that the attempt is about; undefined when it names none. */
export function deliverableOf(settings: Settings, attempt: Attempt): Deliverable | undefined {
  const { deliverables } = settings;
  if (deliverables === null || attempt.doc === undefined || !isRole(attempt.role)) return undefined;
  const declared = attempt.role === "supporting" ? deliverables.supporting : [deliverables.primary];
  return declared.find((it) => referenceOf(deliverables, it) === attempt.doc);
}

function isRole(role: string | undefined): boolean {
  return role === "primary" || role === "supporting";
}

/** What is wrong with the fields of a deliverable event, files aside; undefined when nothing is. */
export function deliverableFault(settings: Settings, attempt: Attempt): Fault | undefined {
  if (!isDeliverableEvent(settings, attempt.event)) return undefined;
  if (!isRole(attempt.role)) return fault("no role");
  if (attempt.doc === undefined) return fault("no doc");
  if (deliverableOf(settings, attempt) === undefined) {
    return fault(attempt.role === "primary" ? "not the primary" : "not a supporting one");
  }
  const isHash = /^[0-9a-f]{64}$/.test(attempt.sha256 ?? "");
  if (attempt.event === "deliverable_frozen" && !isHash) return fault("no hash");
  return undefined;
}

/** What is wrong with the file of a deliverable event; undefined when nothing is. */
export function deliverableFileFault(
  settings: Settings,
  draft: CollaborationDraft,
  files: Files,
): string | undefined {
  const deliverable = deliverableOf(settings, draft);
  const { deliverables } = settings;
  if (!isDeliverableEvent(settings, draft.event)) return undefined;
  if (deliverable === undefined || deliverables === null) return undefined;
  const { path } = deliverable;
  if (deliverables.mode === "external" && deliverables.repoRoot.trim() === "") {
    return `${fault("no root").text}: correct it in protocol.json`;
  }
  if (foldersUpOf(deliverables) === undefined || !isInside(path)) {
    return (
      `${quote(draft.doc)} is declared at a place where it cannot be: correct repoRoot, ` +
      "deliverables.dir and the file in protocol.json; validate names what is wrong"
    );
  }
  const fact = files.get(path);
  if (fact === undefined) return `${fault("no file", draft.event).text}: write ${path} first`;
  if (fact.fault !== undefined) return `${path} ${fact.fault}`;
  if (draft.event !== "deliverable_frozen" || fact.sha256 === draft.sha256) return undefined;
  return `${fault("hash differs").text}: ${path} has ${fact.sha256}; give that when the file is final`;
}

/** What is wrong with the document that any other event names; `blocked` must always be possible. */
export function docFaults(settings: Settings, draft: CollaborationDraft, files: Files): string[] {
  const { event, doc, review } = draft;
  if (event === "blocked" || isDeliverableEvent(settings, event)) return [];
  const isWrittenNow = review !== undefined && doc === "review.md";
  if (doc === undefined || isWrittenNow) return [];
  const fact = files.get(doc);
  if (fact?.fault !== undefined) return [`doc ${quote(doc)} ${fact.fault}`];
  if (fact !== undefined) return [];
  return [`doc ${quote(doc)} is no file in the collaboration folder: write it, or leave --doc out`];
}
