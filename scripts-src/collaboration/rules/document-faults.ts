import { quote } from "../../base/json.ts";
import type { Files } from "../../protocol/protocol.ts";
import { deliverableOf, isDeliverableEvent } from "./deliverable-events.ts";
import { foldersUpOf } from "./deliverables.ts";
import { type CollaborationDraft, isInside } from "./draft.ts";
import type { Settings } from "./settings.ts";

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
    return "repoRoot is required for external deliverables: correct it in protocol.json";
  }
  if (foldersUpOf(deliverables) === undefined || !isInside(path)) {
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

/** What is wrong with the document that any other event names; `blocked` must always be possible. */
export function docFaults(settings: Settings, draft: CollaborationDraft, files: Files): string[] {
  const { event, doc, review } = draft;
  if (event === "blocked" || isDeliverableEvent(settings, event)) return [];
  const isWrittenNow = review !== undefined && doc === "review.md";
  if (doc === undefined || isWrittenNow) return [];
  const fact = files.get(doc);
  if (fact !== undefined && fact.fault === undefined) return [];
  return [`doc ${quote(doc)} is no file in the collaboration folder: write it, or leave --doc out`];
}
