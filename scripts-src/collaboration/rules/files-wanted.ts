import type { JsonObject } from "../../base/json.ts";
import type { FileWanted, Purpose } from "../../protocol/protocol.ts";
import { deliverableOf, isDeliverableEvent } from "./deliverable-events.ts";
import { type Deliverable, foldersUpOf } from "./deliverables.ts";
import { isInside, parseEventDraft } from "./draft.ts";
import { inspectionFiles } from "./inspect.ts";
import type { Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";
import { transitions } from "./transitions.ts";

/** Written by our init: this folder was made by Consulta. */
export const marker = ".consulta.json";

/** The files that a decision, the guidance for a participant or the validator looks at. */
export function filesWanted(state: CollaborationState, purpose: Purpose): FileWanted[] {
  switch (purpose.for) {
    case "decision":
      return distinct(decisionFiles(state, purpose.fields));
    case "guidance":
      return distinct(guidanceFiles(state));
    case "notice":
      return [];
    case "conclusion":
      return ["conclusion.md", "decisions.md", "readiness.md"].map(textOf);
    case "inspection":
      return distinct(inspectionFiles(state.settings));
  }
}

/** Every event passes here: nothing is read that its rules do not need. */
function decisionFiles(state: CollaborationState, fields: JsonObject): FileWanted[] {
  const { settings } = state;
  const draft = parseEventDraft(fields, "");
  if (typeof draft === "string" || draft.event === "blocked") return [];
  const { event, doc } = draft;
  const deliverable = isDeliverableEvent(settings, event)
    ? deliverableOf(settings, draft)
    : undefined;
  if (deliverable !== undefined) {
    return event === "deliverable_frozen"
      ? [...wanted(settings, deliverable, "text"), ...wanted(settings, deliverable, "sha256")]
      : wanted(settings, deliverable, "text");
  }
  const files = doc === undefined || event.startsWith("deliverable_") ? [] : [fileAt(doc)];
  if (event === "unblocked") files.push(fileAt(marker));
  files.push(...(transitions.find((it) => it.event === event)?.documents ?? []).map(textOf));
  if (event === "readiness_passed" || event === "completed") files.push(...frozenFiles(state));
  return files;
}

/** The primary deliverable once it is frozen. */
function frozenFiles({ settings, frozen }: CollaborationState): FileWanted[] {
  if (frozen === null || settings.deliverables === null) return [];
  return wanted(settings, settings.deliverables.primary, "sha256");
}

/** What the next moves depend on. Never the text of review.md: it grows without bound. */
function guidanceFiles(state: CollaborationState): FileWanted[] {
  const { settings } = state;
  const primary = settings.deliverables?.primary;
  const texts = ["proposal.md", "decisions.md", "readiness.md", "conclusion.md"];
  const named = ["review.md", marker];
  const files = [...texts.map(textOf), ...named.map(fileAt)];
  if (primary === undefined) return files;
  return [...files, ...wanted(settings, primary, "text"), ...wanted(settings, primary, "sha256")];
}

function fileAt(path: string): FileWanted {
  return { path, as: "file" };
}

function textOf(path: string): FileWanted {
  return { path, as: "text" };
}

/** A deliverable that is declared outside of where it may lie cannot be looked at. */
function wanted({ deliverables }: Settings, { path }: Deliverable, as: FileWanted["as"]) {
  const foldersUp = deliverables === null ? undefined : foldersUpOf(deliverables);
  return foldersUp === undefined || !isInside(path) ? [] : [{ path, foldersUp, as }];
}

function distinct(files: FileWanted[]): FileWanted[] {
  const keyOf = ({ path, as, foldersUp = 0 }: FileWanted) => `${as} ${foldersUp} ${path}`;
  return [...new Map(files.map((file) => [keyOf(file), file])).values()];
}
