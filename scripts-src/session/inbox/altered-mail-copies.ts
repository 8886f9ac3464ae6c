import { limits } from "../../base/limits.ts";
import { textIfSound, writeFileAtomically } from "../../files/atomic-file.ts";
import { lstatSync } from "../../files/disk.ts";
import { nameIn, safeJoin } from "../../files/safe-path.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Machine } from "../../protocol/machine.ts";
import type { Delivery } from "../../protocol/protocol.ts";
import type { Session } from "../session.ts";
import { mailIn } from "./deliver.ts";

/** A delivered file whose text is not the message in the log. */
interface AlteredCopy {
  readonly seq: number;
  /** The path in the workspace, as people read it. */
  readonly name: string;
  readonly path: string;
  /** What it should say. */
  readonly text: string;
}

/** One event of a replayed log. */
interface Step {
  readonly before: Machine;
  readonly after: Machine;
  readonly event: LogEvent;
}

/** The altered copies of the messages that an event sent, in inboxes and in the archive. */
export async function alteredCopies(session: Session, step: Step): Promise<AlteredCopy[]> {
  const { workspace } = session.place;
  const { mail } = step.after;
  if (workspace === undefined || mail === undefined) return [];
  const earlier = new Set(mailIn(step.before).map(nameOf));
  const sent = mailIn(step.after).filter((delivery) => !earlier.has(nameOf(delivery)));
  const altered: AlteredCopy[] = [];
  for (const delivery of sent) {
    const { seq, to, file } = delivery;
    const event = seq === step.event.seq ? step.event : await session.log.at(seq);
    if (event === undefined) continue;
    const text = mail.letter(delivery, event);
    for (const folder of [`inbox-${to}`, "archive"]) {
      const path = nameIn(safeJoin(workspace.root, folder), file);
      const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
      if (isThere && textIfSound(path, 2 * limits.messageBytes) !== text)
        altered.push({ seq, name: `${folder}/${file}`, path, text });
    }
  }
  return altered;
}

function nameOf({ to, file }: Delivery): string {
  return `${to}/${file}`;
}

export function alteredText({ seq, name }: AlteredCopy): string {
  return `${name} differs from message ${seq} of the log; validate --repair writes it anew`;
}

/** Writes the altered copies of an event's messages again, as the log has them. */
export async function restoreCopies(session: Session, step: Step): Promise<void> {
  for (const { path, text } of await alteredCopies(session, step)) writeFileAtomically(path, text);
}
