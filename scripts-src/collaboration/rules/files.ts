import { type JsonObject, quote } from "../../base/json.ts";
import { linesOf } from "../../base/markdown.ts";
import { isInstructions } from "../../base/names.ts";
import type { LogEvent } from "../../log/event.ts";
import type { DocumentRight, FileWanted, Purpose } from "../../protocol/protocol.ts";
import { deliverableOf, isDeliverableEvent } from "./deliverable-rules.ts";
import {
  type Deliverable,
  deliverablesFaults,
  deliverablesIn,
  foldersUpOf,
  forbiddenFiles,
  pathInDeliverables,
  referenceOf,
} from "./deliverables.ts";
import { isInside, parseEventDraft } from "./draft.ts";
import { reviewHeading } from "./reviews.ts";
import type { Phase, Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";
import { transitions } from "./transitions.ts";

/** Written by our init: this folder was made by Consulta. */
export const marker = ".consulta.json";

/** The documents that a collaboration must have beside its log. */
export const documents = [
  "proposal.md",
  "review.md",
  "decisions.md",
  "readiness.md",
  "conclusion.md",
];

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
function decisionFiles({ settings, frozen }: CollaborationState, fields: JsonObject): FileWanted[] {
  const draft = parseEventDraft(fields, "");
  if (typeof draft === "string" || draft.event === "blocked") return [];
  const { event, doc } = draft;
  const ofDeliverable = isDeliverableEvent(settings, event)
    ? deliverableOf(settings, draft)
    : undefined;
  if (ofDeliverable !== undefined) {
    const hash = event === "deliverable_frozen" ? wanted(settings, ofDeliverable, "sha256") : [];
    return [...wanted(settings, ofDeliverable, "text"), ...hash];
  }
  const primary = settings.deliverables?.primary;
  const isPassing = event === "readiness_passed" || event === "completed";
  return [
    ...(doc === undefined || event.startsWith("deliverable_") ? [] : [fileAt(doc)]),
    ...(event === "unblocked" ? [fileAt(marker)] : []),
    ...(transitions.find((it) => it.event === event)?.documents ?? []).map(textOf),
    ...(isPassing && frozen !== null && primary ? wanted(settings, primary, "sha256") : []),
  ];
}

/** What the next events depend on. Never the text of review.md: it grows without bound. */
function guidanceFiles({ settings }: CollaborationState): FileWanted[] {
  const primary = settings.deliverables?.primary;
  const texts = ["proposal.md", "decisions.md", "readiness.md", "conclusion.md"];
  const files = [...texts.map(textOf), fileAt("review.md"), fileAt(marker)];
  if (primary === undefined) return files;
  return [...files, ...wanted(settings, primary, "text"), ...wanted(settings, primary, "sha256")];
}

/** Files of faulty deliverables are not among them. Of attachments nobody but a task of `consult` reads the text. */
function inspectionFiles({ deliverables, raw }: Settings): FileWanted[] {
  const files = ["protocol.json", ...documents, ...forbiddenFiles].map(textOf);
  const all = [...files, fileAt("events.jsonl")];
  const foldersUp = deliverables === null ? undefined : foldersUpOf(deliverables);
  if (deliverables === null || foldersUp === undefined || deliverablesFaults(raw).length > 0) {
    return all;
  }
  return [
    ...all,
    ...deliverablesIn(deliverables).flatMap(({ path }) => [
      { path, foldersUp, as: "text" } as const,
      { path, foldersUp, as: "sha256" } as const,
    ]),
    ...deliverables.attachments.map((file) => {
      return { path: pathInDeliverables(deliverables, file), foldersUp, as: "text" } as const;
    }),
  ];
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

const ownersDocuments: Partial<Record<Phase | "new", readonly string[]>> = {
  drafting: ["proposal.md"],
  revising: ["proposal.md", "decisions.md", "readiness.md"],
  decision_review: ["decisions.md", "readiness.md"],
  readiness_check: ["decisions.md", "readiness.md", "conclusion.md"],
};

/** The documents that a participant writes now: only the owner does; reviews are written by append-event. */
export function documentsOf(state: CollaborationState, participant: string): string[] {
  const { deliverables } = state.settings;
  const own = ownersDocuments[state.phase];
  if (participant !== state.owner || own === undefined) return [];
  const foldersUp = deliverables === null ? undefined : foldersUpOf(deliverables);
  if (deliverables === null || foldersUp === undefined) return [...own];
  const frozen = new Set(state.supportingFrozen.map(({ path }) => path));
  const open = deliverablesIn(deliverables).filter((it) =>
    it === deliverables.primary
      ? state.frozen === null
      : !frozen.has(referenceOf(deliverables, it)),
  );
  // The agent opens these paths to write.
  const paths = open.map(({ path }) => path).filter(isInside);
  return [...own, ...paths.map((path) => `${"../".repeat(foldersUp)}${path}`)];
}

/**
 * What an event may do to a document on the way to other machines. The first brings what `init` writes:
 * protocol.json, the terms, and README.md stay so for good. The owner's events bring what the owner
 * writes in this phase and what they were decided on; a review is added to review.md; and an event may
 * bring a document of another name that it names.
 */
export function documentRight(
  state: CollaborationState,
  event: LogEvent,
  path: string,
): DocumentRight | undefined {
  const { settings, owner } = state;
  const { from, event: name } = event;
  const isOwners = ownersFiles.includes(path) || isDeliverable(settings, path);
  // In any letter case: on some systems one would take the place of the other.
  const lower = path.toLowerCase();
  const isKnown = [...ownersFiles, ...madeOnce].includes(lower) || isDeliverable(settings, lower);
  if (event.seq === 1) return isKnown ? { may: "replace" } : undefined;
  if (!settings.participants.includes(from)) return undefined;
  if (path === "review.md") {
    return name === "review_submitted"
      ? { may: "add", fault: (added) => forgedReview(from, added) }
      : undefined;
  }
  if (!isKnown) {
    const isNamed = path === plainPath(event["doc"]) && !path.split("/").some(isInstructions);
    return isNamed ? { may: "begin" } : undefined;
  }
  return isOwners && from === owner && isCarried(state, event, path)
    ? { may: "replace" }
    : undefined;
}

const ownersFiles = ["proposal.md", "decisions.md", "readiness.md", "conclusion.md"];
const madeOnce = ["protocol.json", "readme.md", "review.md"];

/** Those of a repository above the folder are shared by the repository itself. */
function isDeliverable({ deliverables }: Settings, path: string): boolean {
  if (deliverables === null || foldersUpOf(deliverables) !== 0) return false;
  const attached = deliverables.attachments.map((file) => pathInDeliverables(deliverables, file));
  const all = [...deliverablesIn(deliverables).map((it) => it.path), ...attached];
  return all.some((it) => it.toLowerCase() === path.toLowerCase());
}

function isCarried(state: CollaborationState, event: LogEvent, path: string): boolean {
  const { from } = event;
  const looked = filesWanted(state, { for: "decision", participant: from, fields: event })
    .filter(({ foldersUp = 0 }) => foldersUp === 0)
    .map((it) => plainPath(it.path));
  return [...documentsOf(state, from), ...looked].includes(path);
}

function plainPath(path: unknown): string {
  const names = typeof path === "string" ? path.split("/") : [];
  return names.filter((name) => name !== "" && name !== ".").join("/");
}

/** A review is its sender's: with a heading of somebody else it would be read as theirs. */
function forgedReview(from: string, added: string): string | undefined {
  const other = linesOf(added).find((line) => {
    const heading = reviewHeading(line);
    return heading !== undefined && heading.participant !== from;
  });
  return other === undefined ? undefined : `adds ${quote(other)}, a review of somebody else`;
}
