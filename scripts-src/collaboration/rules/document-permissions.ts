import { isInstructions } from "../../base/instruction-files.ts";
import { quote } from "../../base/json.ts";
import { linesOf } from "../../base/markdown.ts";
import type { LogEvent } from "../../log/event.ts";
import type { DocumentRight } from "../../protocol/protocol.ts";
import { foldersUpOf, pathInDeliverables } from "./deliverables.ts";
import { filesWanted } from "./files-wanted.ts";
import { documentsOf } from "./next-action.ts";
import { reviewHeading } from "./review-entries.ts";
import type { Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";

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
  const { settings } = state;
  if (event.seq === 1) return isKnownDocument(settings, path) ? replace : undefined;
  if (!settings.participants.includes(event.from)) return undefined;
  if (path === "review.md")
    return event.event === "review_submitted"
      ? { may: "add", fault: (added) => reviewFault(event, added) }
      : undefined;
  if (!isKnownDocument(settings, path)) {
    const isNamed = path === plainPath(event["doc"]) && !path.split("/").some(isInstructions);
    return isNamed ? { may: "begin" } : undefined;
  }
  const isOwners = ownersDocuments.includes(path) || isDeliverable(settings, path);
  return isOwners && event.from === state.owner && isCarried(state, event, path)
    ? replace
    : undefined;
}

const replace: DocumentRight = { may: "replace" };

const ownersDocuments = ["proposal.md", "decisions.md", "readiness.md", "conclusion.md"];
const madeOnce = ["protocol.json", "readme.md", "review.md"];

/** In any letter case: on some systems one would take the place of the other. */
function isKnownDocument(settings: Settings, path: string): boolean {
  const name = path.toLowerCase();
  return [...ownersDocuments, ...madeOnce].includes(name) || isDeliverable(settings, name);
}

/** Those of a repository above the folder are shared by the repository itself. */
function isDeliverable({ deliverables }: Settings, path: string): boolean {
  if (deliverables === null || foldersUpOf(deliverables) !== 0) return false;
  const { primary, supporting, attachments } = deliverables;
  const attached = attachments.map((file) => pathInDeliverables(deliverables, file));
  return [primary.path, ...supporting.map((it) => it.path), ...attached].some(
    (it) => it.toLowerCase() === path.toLowerCase(),
  );
}

function isCarried(state: CollaborationState, event: LogEvent, path: string): boolean {
  const { from } = event;
  const wanted = filesWanted(state, { for: "decision", participant: from, fields: event });
  const looked = wanted
    .filter(({ foldersUp = 0 }) => foldersUp === 0)
    .map((it) => plainPath(it.path));
  return [...documentsOf(state, from), ...looked].includes(path);
}

function plainPath(path: unknown): string {
  const names = typeof path === "string" ? path.split("/") : [];
  return names.filter((name) => name !== "" && name !== ".").join("/");
}

/** A review is its sender's: with a heading of somebody else it would be read as theirs. */
function reviewFault({ from }: LogEvent, added: string): string | undefined {
  const other = linesOf(added).find((line) => {
    const heading = reviewHeading(line);
    return heading !== undefined && heading.participant !== from;
  });
  return other === undefined ? undefined : `adds ${quote(other)}, a review of somebody else`;
}
