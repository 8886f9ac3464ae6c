import { namesIn, sweepTemporaryFiles } from "../store/atomic-file.ts";
import { safeJoin } from "../store/safe-path.ts";
import { messagesAmong } from "./mailbox.ts";
import type { Workspace } from "./workspace.ts";

/** Where an app verb gets time and ids from. */
export interface Clock {
  /** ISO-8601 with milliseconds. */
  now(): string;
  newId(): string;
}

/** A file that could not be entered and now lies in `errors/` with its reason. */
export interface Rejected {
  readonly file: string;
  readonly reason: string;
}

/** What lies in an inbox and could not be entered yet. */
export interface WaitingMail {
  readonly inbox: string;
  readonly letters: number;
  /** Each reason once. */
  readonly reasons: readonly string[];
  /** How many letters this look had no room for. */
  readonly unseen: number;
}

export interface EnteredMail {
  readonly rejected: Rejected[];
  /** Undefined when nothing waits. */
  readonly waiting: WaitingMail | undefined;
}

/**
 * Enters what foreign colleagues put into this inbox by hand: valid mail goes into the log and on
 * to the archive, malformed mail to `errors/` with its reason, and neither stops the rest. `known`
 * are the files that the caller knows as delivered by our own scripts; `next-action` takes those.
 * Gives what was refused and what waits; undefined when there was nothing to look at.
 */
export async function takeForeignMail(
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
  const { enterMail } = await import("./take-mail.ts");
  return enterMail(workspace, participant, clock, unknown);
}
