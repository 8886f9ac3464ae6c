import { escapeControls } from "../json.ts";
import type { FileFact, Files } from "../protocol.ts";
import type { CollaborationState } from "./state.ts";

/** One participant before one state of the collaboration and its files. */
export interface Seat {
  readonly state: CollaborationState;
  readonly participant: string;
  readonly files: Files;
}

/** Names as the contract's lines have them: with commas between. */
export function named(names: readonly string[]): string {
  return escapeControls(names.join(", "));
}

/**
 * The files with those that guidance does not read taken as being there: review.md may be long, and
 * nothing depends on more than its existence.
 */
export function guidedFiles(files: Files): Files {
  const assumed = ["review.md", "decisions.md", "protocol.json"];
  return new Map([...assumed.map((path): [string, FileFact] => [path, { bytes: 0 }]), ...files]);
}
