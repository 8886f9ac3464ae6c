import type { EvidenceRecord } from "../protocol/evidence.ts";
import type { FileFact } from "../protocol/protocol.ts";
import type { CheckedDraft } from "./message.ts";
import type { DialogueState } from "./state.ts";

/** A draft with all that judging it needs. */
export interface SendAttempt {
  readonly state: DialogueState;
  readonly draft: CheckedDraft;
  readonly sender: string;
  /** From a colleague that follows the original files by hand and does not know our fields. */
  readonly foreign: boolean;
  readonly files: ReadonlyMap<string, FileFact>;
  /** What a script read for this draft's claims, as `evidenceNeeded` asked; absent where it is told again. */
  readonly evidence?: readonly EvidenceRecord[] | undefined;
}
