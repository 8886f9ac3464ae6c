import { refused } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import {
  createFileExclusively,
  textIfSound,
  writeFileAtomically,
} from "../../files/atomic-file.ts";
import { lstatSync } from "../../files/disk.ts";
import { ensureFolder, nameIn, safeJoin } from "../../files/safe-path.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Delivery, SessionState } from "../../protocol/protocol.ts";
import { replay } from "../replay.ts";
import type { Session } from "../session.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { inboxOf } from "./mailbox.ts";

/**
 * Puts messages that their recipients have not answered into the inboxes, unless they lie there or
 * in the archive. The writer of `newest` delivers so, and the next script that looks after a
 * crash. Returns what was delivered.
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
    const torn = copies.filter(isTorn);
    if (copies.length > 0 && torn.length === 0) continue;
    const text = await letterText(session, delivery, newest);
    // Copies are never synced: a power cut may take what they held.
    for (const path of torn) writeFileAtomically(path, text, { sync: "nothing" });
    if (copies.length > 0) continue;
    const path = nameIn(inboxOf(workspace, delivery.to), delivery.file);
    createFileExclusively(path, text, { sync: "nothing" });
    missing.push(delivery);
  }
  return missing;
}

/** All messages of a session that their recipients have not answered. */
export function mailOf({ kind, state }: SessionState): Delivery[] {
  const { mail } = kind;
  if (mail === undefined) return [];
  return kind.standing(state).participants.flatMap((name) => mail.pending(state, name));
}

/** The messages of a session that one participant has not answered. */
export function mailFor({ kind, state }: SessionState, participant: string): Delivery[] {
  return kind.mail?.pending(state, participant) ?? [];
}

/** Whether a message is whole in its recipient's inbox or has been taken out of it. */
export function isDelivered(workspace: Workspace, delivery: Delivery): boolean {
  const copies = copiesOf(workspace, delivery);
  return copies.length > 0 && !copies.some(isTorn);
}

/** Where a message is: usually in one place, after a power cut perhaps in both. */
function copiesOf(workspace: Workspace, { to, file }: Delivery): string[] {
  return [`inbox-${to}`, "archive"]
    .map((folder) => nameIn(safeJoin(workspace.root, folder), file))
    .filter((path) => lstatSync(path) !== undefined);
}

/** Whether a copy is a file that does not end as it was written to: a part of it, or zeros. */
function isTorn(path: string): boolean {
  if (!lstatSync(path)?.isFile()) return false;
  const text = textIfSound(path, 2 * limits.messageBytes);
  return text === undefined || !text.endsWith("\n") || text.includes("\0");
}

/** The archive's copy of a message that was taken, written again where it does not say `text`. */
export function keepCopy(workspace: Workspace, { file }: Delivery, text: string): string {
  const path = nameIn(ensureFolder(workspace.root, "archive"), file);
  if (textIfSound(path, 2 * limits.messageBytes) !== text) writeFileAtomically(path, text);
  return path;
}

/** The text of a message as it is in an inbox. */
export async function letterText(
  session: Session,
  delivery: Delivery,
  newest?: LogEvent,
): Promise<string> {
  const event = newest?.seq === delivery.seq ? newest : await session.log.at(delivery.seq);
  const letterIn = ({ state }: SessionState) =>
    event && session.kind.mail?.letter(state, delivery, event);
  const text = letterIn(session) ?? letterIn(await stateAt(session, delivery.seq));
  if (text !== undefined) return text;
  throw refused(
    `session ${session.place.id} has no event ${delivery.seq}, which its state names; run validate`,
  );
}

/** The session as an event left it. */
async function stateAt(session: Session, seq: number): Promise<SessionState> {
  for await (const { after, event } of replay(session)) if (event.seq === seq) return after;
  return session;
}

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
  readonly before: SessionState;
  readonly after: SessionState;
  readonly event: LogEvent;
}

/** The altered copies of the messages that an event sent, in inboxes and in the archive. */
export async function alteredCopies(session: Session, step: Step): Promise<AlteredCopy[]> {
  const { workspace } = session.place;
  const { mail } = step.after.kind;
  if (workspace === undefined || mail === undefined) return [];
  const earlier = new Set(mailOf(step.before).map(nameOf));
  const sent = mailOf(step.after).filter((delivery) => !earlier.has(nameOf(delivery)));
  const altered: AlteredCopy[] = [];
  for (const delivery of sent) {
    const { seq, to, file } = delivery;
    const event = seq === step.event.seq ? step.event : await session.log.at(seq);
    const text = event && mail.letter(step.after.state, delivery, event);
    if (text === undefined) continue;
    for (const folder of [`inbox-${to}`, "archive"]) {
      const path = nameIn(safeJoin(workspace.root, folder), file);
      const isThere = lstatSync(path) !== undefined;
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
