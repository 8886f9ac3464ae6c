import { basename, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import { inline, isRecord, type JsonValue, parseStrictJson } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { millisecondsOf } from "../../base/time.ts";
import { readFileIfPresent } from "../../files/atomic-file.ts";
import { existsSync, lstatSync } from "../../files/disk.ts";
import { discard } from "../../files/safe-open.ts";
import { ensureFolder, safeJoin } from "../../files/safe-path.ts";
import { systemClock } from "../../script/clock.ts";
import { logAt } from "../../script/output.ts";
import { placeIn } from "../place.ts";
import { readSession } from "../session.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { keepCopy, letterText, mailFor, mailOf } from "./deliver.ts";
import { enterMessage } from "./enter-message.ts";
import {
  claimMessages,
  explainWait,
  forgetWait,
  inboxOf,
  messageFiles,
  type RejectedMail,
  reject,
} from "./mailbox.ts";

/** What is in an inbox and could not be entered yet. */
export interface WaitingMail {
  readonly inbox: string;
  readonly letters: number;
  /** Each reason once. */
  readonly reasons: readonly string[];
}

export interface EnteredMail {
  readonly rejected: RejectedMail[];
  /** Undefined when nothing waits. */
  readonly waiting: WaitingMail | undefined;
  /** The sessions that a letter has opened. */
  readonly opened: string[];
}

/**
 * Enters what foreign colleagues put into this inbox by hand: valid mail goes into the log and on
 * to the archive, malformed mail to `errors/` with its reason, and neither stops the rest. `known`
 * are the files that the caller knows as delivered by our own scripts; `next-action` takes those.
 * What has to wait is read again at each look: only few letters may do so.
 * Returns what was refused and what waits; undefined when there was nothing to look at.
 */
export async function importInbox(
  workspace: Workspace,
  participant: string,
  clock: Clock,
  known: ReadonlySet<string>,
): Promise<EnteredMail | undefined> {
  const inbox = safeJoin(workspace.root, `inbox-${participant}`);
  const files = messageFiles(inbox).filter((file) => !known.has(file));
  if (files.length === 0) return undefined;
  const rejected: RejectedMail[] = [];
  const opened: string[] = [];
  const reasons: string[] = [];
  let room: number = limits.inboxFiles;
  for (const file of files) {
    if (room === 0) break;
    const mayWait = reasons.length < limits.lettersWaiting;
    const { fate, reason, opened: id } = await enter(workspace, participant, file, clock, mayWait);
    if (id !== undefined) opened.push(id);
    if (fate === "refused") rejected.push({ file, reason });
    if (fate === "waits") reasons.push(reason);
    else if (fate !== "copy") room -= 1;
  }
  if (reasons.length === 0) return { rejected, waiting: undefined, opened };
  const told = { letters: reasons.length, reasons: [...new Set(reasons)] };
  return { rejected, waiting: { inbox: `inbox-${participant}`, ...told }, opened };
}

/** What became of one letter; a copy is one of our own that is not answered yet. */
interface Entered {
  readonly fate: "done" | "copy" | "refused" | "waits";
  /** Why it is refused or stays. */
  readonly reason: string;
  /** The session that it opened. */
  readonly opened?: string | undefined;
}

const done: Entered = { fate: "done", reason: "" };

async function enter(
  workspace: Workspace,
  participant: string,
  file: string,
  clock: Clock,
  mayWait: boolean,
): Promise<Entered> {
  const path = join(inboxOf(workspace, participant), file);
  try {
    // Our own copies are indented and carry what was filled in: they may be larger than a message.
    const text = readFileIfPresent(path, 2 * limits.messageBytes);
    if (text === undefined) return done;
    const message = parseStrictJson(text, `the file ${file}`);
    const copy = await copyOf(workspace, participant, file, message, text);
    if (copy === "unanswered") return { fate: "copy", reason: "" };
    if (copy === undefined) {
      const letter = { message, text };
      const opened = await enterAndArchive(workspace, participant, path, letter, clock);
      forgetWait(path);
      return { ...done, opened };
    }
    // After a power cut it may lie in the archive as well.
    claimMessages(workspace, participant, [file]);
    forgetWait(path);
    return done;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return notEntered(workspace, path, cause, clock, mayWait);
  }
}

function notEntered(
  workspace: Workspace,
  path: string,
  { code, reason: kind, message }: ConsultaError,
  clock: Clock,
  mayWait: boolean,
): Entered {
  const mayBeTorn = kind === "not JSON" || kind === "not text";
  if (!existsSync(path) || (mayBeTorn && isYoung(path, clock))) return done;
  // Out of reach is not the message's fault: it stays, and the rest is looked at.
  if (code === "UNAVAILABLE") return { fate: "waits", reason: message };
  if (code === "NOT_YET" && mayWait) {
    explainWait(path, message, clock);
    return { fate: "waits", reason: message };
  }
  const tooMany = `${limits.lettersWaiting} letters wait already and no more are kept: send it again later`;
  const reason = code === "NOT_YET" ? `${message}; ${tooMany}` : message;
  reject(workspace, path, reason, clock);
  return { fate: "refused", reason };
}

function isYoung(path: string, clock: Clock): boolean {
  const found = lstatSync(path);
  // A time in the future is one that somebody set: such a file is as whole as it will ever be.
  return (
    found !== undefined &&
    Math.abs(millisecondsOf(clock.now()) - found.mtimeMs) < limits.youngFileMs
  );
}

/** Whether a file is, byte for byte, one that our scripts delivered; it then names its event. */
async function copyOf(
  workspace: Workspace,
  participant: string,
  file: string,
  message: JsonValue,
  text: string,
): Promise<"unanswered" | "answered" | undefined> {
  if (!isRecord(message)) return undefined;
  const { seq, session_id, from } = message;
  if (typeof seq !== "number" || typeof session_id !== "string" || typeof from !== "string")
    return undefined;
  const session = await readSession(placeIn(workspace, session_id));
  if (!Number.isSafeInteger(seq) || seq < 1 || seq > session.cursor.seq) return undefined;
  if ((await letterText(session, { seq, from, to: participant, file })) !== text) return undefined;
  const open = mailOf(session).some(
    (delivery) => delivery.to === participant && delivery.file === file,
  );
  return open ? "unanswered" : "answered";
}

/**
 * Enters a letter and keeps it once: under its own name, which the log took over, or as the copy that
 * the log's own name has, where the letter's is taken or none of this session. Returns the session that
 * it opened, if it did.
 */
async function enterAndArchive(
  workspace: Workspace,
  participant: string,
  path: string,
  letter: { message: JsonValue; text: string },
  clock: Clock,
): Promise<string | undefined> {
  const file = basename(path);
  const isFree = !existsSync(join(ensureFolder(workspace.root, "archive"), file));
  const name = isFree ? file : undefined;
  const { session, isNew } = await enterMessage(workspace, participant, letter, name, clock);
  // What a sealed position says is in the log, and becomes a copy when it is opened.
  const kept = isFree
    ? mailFor(session, participant).find((mail) => mail.file === file)
    : undefined;
  if (kept !== undefined) keepCopy(workspace, kept, await letterText(session, kept));
  discard(path);
  return isNew ? session.place.id : undefined;
}

/** Enters mail of foreign colleagues and tells what became of it; true when some was refused. */
export async function takeMailAloud(
  workspace: Workspace,
  participant: string,
  known: ReadonlySet<string>,
): Promise<boolean> {
  const entered = await importInbox(workspace, participant, systemClock, known);
  if (entered === undefined) return false;
  tellMail(workspace, participant, entered);
  return entered.rejected.length > 0;
}

const waitsTold = new Set<string>();

/** Tells on stderr what became of mail; why a letter waits once in a process. */
export function tellMail(
  workspace: Workspace,
  participant: string,
  { rejected, waiting, opened }: EnteredMail,
): void {
  for (const id of opened) logAt(workspace, "info", `a letter opened session ${id}`);
  for (const { file, reason } of rejected.slice(0, limits.rejectedTold))
    logAt(workspace, "warn", `rejected mail, now in errors/: ${inline(file)}: ${inline(reason)}`);
  const more = rejected.length - limits.rejectedTold;
  if (more > 0) logAt(workspace, "warn", `${more} more were rejected; they are in errors/`);
  for (const reason of waiting?.reasons ?? []) {
    if (waitsTold.has(reason) || waitsTold.size >= limits.rejectedTold) continue;
    waitsTold.add(reason);
    const where = `a letter in inbox-${participant} is not entered yet`;
    logAt(workspace, "warn", `${where}: ${inline(reason)}`);
  }
}
