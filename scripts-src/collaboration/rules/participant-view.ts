import { visibleText } from "../../base/visible-text.ts";
import type { FileFact, Files } from "../../protocol/protocol.ts";
import type { CollaborationState } from "./state.ts";

/** One participant before one state of the collaboration and its files. */
export interface ParticipantView {
  readonly state: CollaborationState;
  readonly participant: string;
  readonly files: Files;
}

/** Names as the contract's lines have them: with commas between. */
export function named(names: readonly string[]): string {
  return visibleText(names.join(", "));
}

/** The files with the one that is taken as being there: without protocol.json nobody gets so far. */
export function guidedFiles(files: Files): Files {
  const assumed: [string, FileFact] = ["protocol.json", { bytes: 0 }];
  return new Map([assumed, ...files]);
}
