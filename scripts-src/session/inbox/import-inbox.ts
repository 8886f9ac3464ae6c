import type { Clock } from "../../base/clock.ts";
import { namesIn, sweepTemporaryFiles } from "../../files/atomic-file.ts";
import { safeJoin } from "../../files/safe-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type EnteredMail, importMessages } from "./import-messages.ts";
import { messagesAmong } from "./mailbox.ts";

/**
 * Enters what foreign colleagues put into this inbox by hand: valid mail goes into the log and on
 * to the archive, malformed mail to `errors/` with its reason, and neither stops the rest. `known`
 * are the files that the caller knows as delivered by our own scripts; `next-action` takes those.
 * Returns what was refused and what waits; undefined when there was nothing to look at.
 */
export async function importInbox(
  workspace: Workspace,
  participant: string,
  clock: Clock,
  known: ReadonlySet<string>,
): Promise<EnteredMail | undefined> {
  const inbox = safeJoin(workspace.root, `inbox-${participant}`);
  const names = namesIn(inbox);
  sweepTemporaryFiles(inbox, names);
  const unknown = messagesAmong(names).filter((file) => !known.has(file));
  if (unknown.length === 0) return undefined;
  return importMessages(workspace, participant, clock, unknown);
}
