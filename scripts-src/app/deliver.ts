import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import type { LogEvent } from "../core/event.ts";
import type { Delivery } from "../core/protocol.ts";
import { createFileExclusively } from "../store/atomic-file.ts";
import { existsSync } from "../store/disk.ts";
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
  const missing = mail.filter((delivery) => !isDelivered(workspace, delivery));
  for (const delivery of missing) {
    const { to, file } = delivery;
    createFileExclusively(
      join(inboxOf(workspace, to), file),
      await letterText(session, delivery, newest),
    );
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

/** Whether a message lies in its recipient's inbox or has been taken out of it. */
export function isDelivered(workspace: Workspace, { to, file }: Delivery): boolean {
  return (
    existsSync(join(workspace.root, `inbox-${to}`, file)) ||
    existsSync(join(workspace.root, "archive", file))
  );
}

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
