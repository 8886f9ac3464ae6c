import { limits } from "../../base/limits.ts";
import { textIfSound, writeFileAtomically } from "../../files/atomic-file.ts";
import { lstatSync } from "../../files/disk.ts";
import { nameIn, safeJoin } from "../../files/safe-path.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Machine } from "../../protocol/machine.ts";
import type { Delivery } from "../../protocol/protocol.ts";
import type { Session } from "../session.ts";
import { mailIn } from "./deliver.ts";

/** A copy of a message that says something else than the log. */
interface AlteredCopy {
  readonly seq: number;
  /** Below the workspace. */
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

/** Which copies of the messages that an event sent were changed, in inboxes and in the archive. */
export async function alteredCopies(session: Session, step: Step): Promise<AlteredCopy[]> {
  const { workspace } = session.place;
  const { mail } = step.after;
  if (workspace === undefined || mail === undefined) return [];
  const known = new Set(mailIn(step.before).map(nameOf));
  const fresh = mailIn(step.after).filter((delivery) => !known.has(nameOf(delivery)));
  const found: AlteredCopy[] = [];
  for (const delivery of fresh) {
    const { seq, to, file } = delivery;
    const event = seq === step.event.seq ? step.event : await session.log.at(seq);
    if (event === undefined) continue;
    const text = mail.letter(delivery, event);
    for (const folder of [`inbox-${to}`, "archive"]) {
      const path = nameIn(safeJoin(workspace.root, folder), file);
      const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
      if (isThere && textIfSound(path, 2 * limits.messageBytes) !== text)
        found.push({ seq, name: `${folder}/${file}`, path, text });
    }
  }
  return found;
}

function nameOf({ to, file }: Delivery): string {
  return `${to}/${file}`;
}

export function alteredText({ seq, name }: AlteredCopy): string {
  return `${name} differs from message ${seq} of the log; validate --repair writes it anew`;
}

/** Makes the copies of an event's messages say what the log says. */
export async function restoreCopies(session: Session, step: Step): Promise<void> {
  for (const { path, text } of await alteredCopies(session, step)) writeFileAtomically(path, text);
}
