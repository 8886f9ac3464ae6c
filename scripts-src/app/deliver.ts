import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import type { LogEvent } from "../core/event.ts";
import { limits } from "../core/limits.ts";
import type { Delivery } from "../core/protocol.ts";
import {
  createFileExclusively,
  readBytesIfPresent,
  writeFileAtomically,
} from "../store/atomic-file.ts";
import { inboxOf } from "./mailbox.ts";
import type { Session } from "./session.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Puts messages that their recipients have not answered into the inboxes, unless they lie there or
 * in the archive. Whoever appended `newest` delivers so, and the next script that looks after a
 * crash. Gives what was delivered.
 */
export async function deliverMail(
  session: Session,
  mail: readonly Delivery[],
  newest?: LogEvent,
): Promise<Delivery[]> {
  const { workspace } = session.place;
  if (workspace === undefined || mail.length === 0) return [];
  const missing: Delivery[] = [];
  for (const delivery of mail) {
    const copies = copiesOf(workspace, delivery);
    const torn = copies.filter((path) => !isWhole(path));
    if (copies.length > 0 && torn.length === 0) continue;
    const text = await letterText(session, delivery, newest);
    // Copies are never synced: a power cut may take what they held.
    for (const path of torn) writeFileAtomically(path, text, { sync: "nothing" });
    if (copies.length > 0) continue;
    const path = join(inboxOf(workspace, delivery.to), delivery.file);
    createFileExclusively(path, text, { sync: "nothing" });
    missing.push(delivery);
  }
  return missing;
}

/** All messages of a session that their recipients have not answered. */
export function mailOf(session: Session): Delivery[] {
  const { mail } = session.machine;
  if (mail === undefined) return [];
  return session.machine.standing().participants.flatMap((name) => mail.unanswered(name));
}

/** The messages of a session that one participant has not answered. */
export function mailFor({ machine }: Session, participant: string): Delivery[] {
  return machine.mail?.unanswered(participant) ?? [];
}

/** Whether a message lies whole in its recipient's inbox or has been taken out of it. */
export function isDelivered(workspace: Workspace, delivery: Delivery): boolean {
  const copies = copiesOf(workspace, delivery);
  return copies.length > 0 && copies.every(isWhole);
}

/** Where a message lies: usually in one place, after a power cut perhaps in both. */
function copiesOf({ root }: Workspace, { to, file }: Delivery): string[] {
  return [join(root, `inbox-${to}`, file), join(root, "archive", file)].filter(existsSync);
}

/** Whether a copy ends as it was written to; a part of one, or zeros, does not. */
function isWhole(path: string): boolean {
  const bytes = readBytesIfPresent(path, 2 * limits.messageBytes);
  return bytes === undefined || (bytes.at(-1) === newline && !bytes.includes(0));
}

const newline = 0x0a;

/** The text of a message as it lies in an inbox. */
export async function letterText(
  session: Session,
  delivery: Delivery,
  newest?: LogEvent,
): Promise<string> {
  const event = newest?.seq === delivery.seq ? newest : await session.log.at(delivery.seq);
  const text = event === undefined ? undefined : session.machine.mail?.letter(delivery, event);
  if (text !== undefined) return text;
  throw new ConsultaError(
    "REFUSED",
    `session ${session.place.id} has no event ${delivery.seq}, which its state names; run validate`,
  );
}
