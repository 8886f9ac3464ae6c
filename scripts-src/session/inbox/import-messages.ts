import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import { isRecord, type JsonValue, parseStrictJson, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { defined } from "../../base/omit-undefined.ts";
import { millisecondsOf } from "../../base/time.ts";
import { readFileIfPresent } from "../../files/atomic-file.ts";
import { existsSync, lstatSync } from "../../files/disk.ts";
import { discard } from "../../files/regular-file.ts";
import { ensureFolder } from "../../files/safe-path.ts";
import { placeIn } from "../place.ts";
import { loadSession } from "../session.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { keepCopy, letterText, mailFor, mailOf } from "./deliver.ts";
import { enterMessage } from "./enter-message.ts";
import { claimMessages, inboxOf } from "./mailbox.ts";
import { type RejectedMail, reasonFile } from "./refused-mail.ts";
import { explainWait, reject } from "./reject-or-defer-letter.ts";

/** What is in an inbox and could not be entered yet. */
export interface WaitingMail {
  readonly inbox: string;
  readonly letters: number;
  /** Each reason once. */
  readonly reasons: readonly string[];
  /** How many letters this look had no room for. */
  readonly unseen: number;
}

export interface EnteredMail {
  readonly rejected: RejectedMail[];
  /** Undefined when nothing waits. */
  readonly waiting: WaitingMail | undefined;
  /** The sessions that a letter has opened. */
  readonly opened: string[];
}

/**
 * Enters the given files of an inbox one after the other. What has to wait is
 * read again at each look and takes no room from the rest: only few letters of a sender may do so.
 */
export async function importMessages(
  workspace: Workspace,
  participant: string,
  clock: Clock,
  files: readonly string[],
): Promise<EnteredMail> {
  const rejected: RejectedMail[] = [];
  const opened: string[] = [];
  const early = new EarlyLetters();
  const reasons: string[] = [];
  const room = { files: limits.inboxFiles, bytes: limits.inboxBytes };
  let unseen = 0;
  for (const file of sendersInTurn(files)) {
    if (room.files <= 0 || room.bytes <= 0) {
      unseen += 1;
      continue;
    }
    const entered = await enter(workspace, participant, file, clock, early);
    const { fate, bytes, reason } = entered;
    if (entered.opened !== undefined) opened.push(entered.opened);
    if (fate === "refused") rejected.push({ file, reason });
    if (fate === "waits" || fate === "early") reasons.push(reason);
    if (fate === "early" || fate === "copy") continue;
    room.files -= 1;
    room.bytes -= bytes;
  }
  if (reasons.length + unseen === 0) return { rejected, waiting: undefined, opened };
  const inbox = `inbox-${participant}`;
  const told = { inbox, letters: reasons.length, reasons: [...new Set(reasons)], unseen };
  return { rejected, waiting: told, opened };
}

/**
 * The files in their order, but one of each session and sender in turn, by what the names claim: many
 * letters of one sender keep no other's out.
 */
function sendersInTurn(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const turns = files.map((file) => {
    const [, session = "", sender = ""] = /^(.+)-\d{8}T\d{6}Z-(.+)-/.exec(file) ?? [];
    const claimed = `${session} ${sender}`;
    const turn = counts.get(claimed) ?? 0;
    counts.set(claimed, turn + 1);
    return { file, turn };
  });
  return turns.sort((one, other) => one.turn - other.turn).map(({ file }) => file);
}

/** The letters of one look that came too early and are kept. */
class EarlyLetters {
  readonly #counts = new Map<string, number>();
  #requests = 0;

  /** Why there is no room for one more; undefined when it is kept. */
  refusal(message: JsonValue, reason: string): string | undefined {
    if (!isRecord(message)) return undefined;
    const { session_id, from, type } = message;
    const isRequest = type === "REQUEST";
    const key = JSON.stringify(isRequest ? [from] : [from, session_id]);
    const count = this.#counts.get(key) ?? 0;
    const most = isRequest && this.#requests >= limits.requestsWaiting;
    if (most || count >= limits.lettersWaiting) {
      const others = most
        ? `${this.#requests} other questions wait`
        : `${count} letters of ${quote(from)} wait`;
      return `${reason}; ${others} already and no more are kept: send it again later`;
    }
    this.#counts.set(key, count + 1);
    if (isRequest) this.#requests += 1;
    return undefined;
  }
}

/** What became of one letter; a copy is one of our own that is not answered yet. */
interface Entered {
  readonly fate: "done" | "copy" | "refused" | "early" | "waits";
  readonly bytes: number;
  /** Why it is refused or stays. */
  readonly reason: string;
  /** The session that it opened. */
  readonly opened?: string;
}

async function enter(
  workspace: Workspace,
  participant: string,
  file: string,
  clock: Clock,
  early: EarlyLetters,
): Promise<Entered> {
  const path = join(inboxOf(workspace, participant), file);
  let message: JsonValue = null;
  let bytes = 0;
  try {
    // Our own copies are indented and carry what was filled in: they may be larger than a message.
    const text = readFileIfPresent(path, 2 * limits.messageBytes);
    if (text === undefined) return { fate: "done", bytes, reason: "" };
    bytes = Buffer.byteLength(text);
    message = parseStrictJson(text, `the file ${file}`);
    const copy = await copyOf(workspace, participant, file, message, text);
    if (copy === "unanswered") return { fate: "copy", bytes, reason: "" };
    // After a power cut it may lie in the archive as well.
    if (copy === "answered") claimMessages(workspace, participant, [file]);
    const letter = { message, text };
    const opened =
      copy === undefined
        ? await enterAndArchive(workspace, participant, file, letter, clock)
        : undefined;
    discard(join(dirname(path), reasonFile(file)));
    return { fate: "done", bytes, reason: "", ...defined({ opened }) };
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    if (!existsSync(path)) return { fate: "done", bytes, reason: "" };
    // Not the message's fault: it stays, and the rest is looked at.
    if (cause.code === "UNAVAILABLE") return { fate: "waits", bytes, reason: cause.message };
    const mayBeTorn = cause.reason === "not JSON" || cause.reason === "not text";
    if (mayBeTorn && isYoung(path, clock)) return { fate: "done", bytes, reason: "" };
    const isEarly = cause.code === "NOT_YET";
    const reason = isEarly ? early.refusal(message, cause.message) : cause.message;
    if (reason === undefined) {
      explainWait(path, cause.message, clock);
      return { fate: "early", bytes, reason: cause.message };
    }
    reject(workspace, path, reason, clock);
    return { fate: "refused", bytes, reason };
  }
}

function isYoung(path: string, clock: Clock): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
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
  const session = await loadSession(placeIn(workspace, session_id));
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
  file: string,
  letter: { message: JsonValue; text: string },
  clock: Clock,
): Promise<string | undefined> {
  const archive = ensureFolder(workspace.root, "archive");
  const isFree = !existsSync(join(archive, file));
  const name = isFree ? file : undefined;
  const { session, isNew } = await enterMessage(workspace, participant, letter, name, clock);
  const path = join(inboxOf(workspace, participant), file);
  // What a sealed position says is in the log, and becomes a copy when it is opened.
  const kept = isFree
    ? mailFor(session, participant).find((mail) => mail.file === file)
    : undefined;
  if (kept !== undefined) keepCopy(workspace, kept, await letterText(session, kept));
  discard(path);
  return isNew ? session.place.id : undefined;
}
