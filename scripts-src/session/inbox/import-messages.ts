import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import { isJsonObject, isRecord, type JsonValue, parseStrictJson, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { parseSessionId } from "../../base/names.ts";
import { millisecondsOf } from "../../base/time.ts";
import { singleLine } from "../../base/visible-text.ts";
import { parseDraft } from "../../dialogue/message.ts";
import {
  moveFile,
  readFileIfPresent,
  textIfSound,
  writeFileAtomically,
} from "../../files/atomic-file.ts";
import { existsSync, lstatSync } from "../../files/disk.ts";
import { discard, syncFile, syncFolder } from "../../files/regular-file.ts";
import { ensureFolder } from "../../files/safe-path.ts";
import { openSession } from "../open-session.ts";
import { placeIn } from "../place.ts";
import { isSessionFolder, loadSession, type Session } from "../session.ts";
import { listOwnOpen } from "../session-list.ts";
import { submit } from "../submit.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { keepCopy, letterText, mailFor, mailOf } from "./deliver.ts";
import { claimMessages, inboxOf } from "./mailbox.ts";
import type { Rejected } from "./refused-mail.ts";
import { reasonFile } from "./refused-mail.ts";

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
 * Enters the given files of an inbox one after the other; see `takeForeignMail`. What has to wait is
 * read again at each look and takes no room from the rest: only few letters of a sender may do so.
 */
export async function importMessages(
  workspace: Workspace,
  participant: string,
  clock: Clock,
  files: readonly string[],
): Promise<EnteredMail> {
  const rejected: Rejected[] = [];
  const early = new EarlyLetters();
  const reasons: string[] = [];
  const room = { files: limits.inboxFiles, bytes: limits.inboxBytes };
  let unseen = 0;
  for (const file of sendersInTurn(files)) {
    if (room.files <= 0 || room.bytes <= 0) {
      unseen += 1;
      continue;
    }
    const { fate, bytes, reason } = await enter(workspace, participant, file, clock, early);
    if (fate === "refused") rejected.push({ file, reason });
    if (fate === "waits" || fate === "early") reasons.push(reason);
    if (fate === "early" || fate === "copy") continue;
    room.files -= 1;
    room.bytes -= bytes;
  }
  if (reasons.length + unseen === 0) return { rejected, waiting: undefined };
  const inbox = `inbox-${participant}`;
  const told = { inbox, letters: reasons.length, reasons: [...new Set(reasons)], unseen };
  return { rejected, waiting: told };
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
    else await enterAndArchive(workspace, participant, file, { message, text }, clock);
    discard(join(dirname(path), reasonFile(file)));
    return { fate: "done", bytes, reason: "" };
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
 * the log's own name has, where the letter's is taken or none of this session.
 */
async function enterAndArchive(
  workspace: Workspace,
  participant: string,
  file: string,
  letter: { message: JsonValue; text: string },
  clock: Clock,
): Promise<void> {
  const archive = ensureFolder(workspace.root, "archive");
  const isFree = !existsSync(join(archive, file));
  const name = isFree ? file : undefined;
  const session = await enterMessage(workspace, participant, letter, name, clock);
  const path = join(inboxOf(workspace, participant), file);
  // What a sealed position says is in the log, and becomes a copy when it is opened.
  const kept = isFree
    ? mailFor(session, participant).find((mail) => mail.file === file)
    : undefined;
  if (kept !== undefined) keepCopy(workspace, kept, await letterText(session, kept));
  discard(path);
}

async function enterMessage(
  workspace: Workspace,
  participant: string,
  { message, text }: { message: JsonValue; text: string },
  file: string | undefined,
  clock: Clock,
): Promise<Session> {
  if (Buffer.byteLength(text) > limits.messageBytes) {
    throw new ConsultaError("REFUSED", `a message has at most ${limits.messageBytes} bytes`);
  }
  if (!isJsonObject(message)) throw new ConsultaError("REFUSED", "the message is no JSON object");
  const { session_id, from, to, type } = message;
  if (typeof session_id !== "string" || typeof from !== "string") {
    throw new ConsultaError("REFUSED", "the message lacks session_id or from");
  }
  const named = parseSessionId(session_id);
  // Looked at before a session is opened for it: a refused REQUEST must leave none behind.
  const draft = parseDraft(message, false);
  if (Array.isArray(draft)) {
    throw new ConsultaError("REFUSED", `the message is malformed: ${draft.slice(0, 4).join("; ")}`);
  }
  const id = await sessionMeant(workspace, named, [from, participant], type === "REQUEST");
  const isNew = type === "REQUEST" && !isSessionFolder(placeIn(workspace, id).folder);
  if (isNew && to !== undefined && to !== participant) {
    throw new ConsultaError(
      "REFUSED",
      `to is ${quote(to)}, but this is the inbox of ${participant}`,
    );
  }
  const session = isNew
    ? await openForForeign(
        workspace,
        id,
        [from, participant],
        topicOf(workspace, named, message),
        clock,
      )
    : await loadSession(placeIn(workspace, id));
  const { participants } = session.machine.standing();
  const sender = participants.find((name) => name !== participant);
  if (sender === undefined || !participants.includes(participant)) {
    throw new ConsultaError("REFUSED", `${participant} is not in session ${id}`);
  }
  // Who sent it follows from whose inbox it is in; the body's `from` must agree with that.
  const fields = {
    message: { ...message, session_id: id },
    ...(file === undefined ? {} : { file }),
  };
  const submission = { participant: sender, origin: "inbox" as const, fields };
  const submitted = await submit(session, { ...submission, at: clock.now(), id: clock.newId() });
  return submitted.session;
}

/**
 * The session that a letter is for. The original files name a session by its topic: after one has
 * ended, a REQUEST of that name opens `<name>-2`, and what follows under the old name goes there.
 */
async function sessionMeant(
  workspace: Workspace,
  named: string,
  pair: readonly string[],
  isRequest: boolean,
): Promise<string> {
  let id = named;
  for (let number = 2; number <= limits.appendTries; number += 1) {
    if (!isSessionFolder(placeIn(workspace, id).folder))
      return isRequest || number === 2 ? id : named;
    const { ended, hasTurns, participants } = (
      await loadSession(placeIn(workspace, id))
    ).machine.standing();
    const isPairs = hasTurns && pair.every((name) => participants.includes(name));
    if (!isPairs || !ended) return isPairs || number === 2 ? id : named;
    const next = `${named.slice(0, limits.sessionIdCharacters - 4)}-${number}`;
    const isNext = isSessionFolder(placeIn(workspace, next).folder);
    // A late answer to what has ended is told so, not put elsewhere.
    if (!isRequest && !isNext) return id;
    id = next;
  }
  return named;
}

async function openForForeign(
  workspace: Workspace,
  id: string,
  participants: string[],
  topic: string,
  clock: Clock,
): Promise<Session> {
  const open = await listOwnOpen(workspace);
  const { max_concurrent_sessions: max } = workspace.config;
  // The last place is the user's own, unless there is but one.
  if (open.length >= Math.max(1, max - 1)) {
    const kept = open.length < max ? ", and the last place is kept for init" : "";
    throw new ConsultaError(
      "NOT_YET",
      `session ${id} has to wait: ${open.length} sessions are open (max_concurrent_sessions is ${max})${kept}; ` +
        "bring one to its end",
    );
  }
  const times = { at: clock.now(), eventId: clock.newId() };
  try {
    return await openSession(workspace, { topic, participants, id, ...times });
  } catch (cause) {
    // Another process of ours found the same file and was faster.
    if (!(cause instanceof ConsultaError) || cause.code !== "EXISTS") throw cause;
    return loadSession(placeIn(workspace, id));
  }
}

/** The words for the topic that the sender chose, where it wrote them as the original does. */
function topicOf(workspace: Workspace, named: string, message: Record<string, unknown>): string {
  const path = join(ensureFolder(workspace.root, "sessions"), `${named}.json`);
  const written = textIfSound(path, limits.messageBytes);
  return topicIn(written, named) ?? firstLine(message);
}

function topicIn(text: string | undefined, named: string): string | undefined {
  try {
    const entry: unknown = JSON.parse(text ?? "");
    if (!isRecord(entry) || entry["session_id"] !== named || entry["state"] !== "IN_PROGRESS")
      return undefined;
    const topic = singleLine(typeof entry["topic"] === "string" ? entry["topic"] : "");
    return topic.slice(0, limits.summaryCharacters) || undefined;
  } catch {
    // Not there, or still being written.
    return undefined;
  }
}

function firstLine(message: Record<string, unknown>): string {
  const proposal = message["question_or_proposal"];
  const content = isRecord(proposal) ? proposal["content"] : undefined;
  const [line = ""] = typeof content === "string" ? content.trim().split("\n") : [];
  return singleLine(line).slice(0, limits.summaryCharacters) || "a question from a peer";
}

/** Says beside a letter that has to wait why it does: its sender reads no log of ours. */
function explainWait(path: string, reason: string, clock: Clock): void {
  const beside = join(dirname(path), reasonFile(basename(path)));
  const text = `This letter waits: ${reason}\n`;
  if (textIfSound(beside, limits.messageBytes)?.startsWith(text)) return;
  writeFileAtomically(beside, `${text}seen ${clock.now()}\n`, { sync: "nothing" });
}

/** Moves a file to `errors/` with a `.reason.txt` beside it; several of one name are all kept. */
function reject(workspace: Workspace, path: string, reason: string, clock: Clock): void {
  const errors = ensureFolder(workspace.root, "errors");
  const name = moveAside(path, errors, clock);
  if (name === undefined) return;
  const inbox = basename(dirname(path));
  const text = `${singleLine(reason)}\nreceived ${clock.now()} in ${inbox}\n`;
  writeFileAtomically(join(errors, reasonFile(name)), text);
  discard(join(dirname(path), reasonFile(basename(path))));
}

/** Moves a file into a folder, under a number where its name is taken; undefined when it is gone. */
function moveAside(path: string, folder: string, clock: Clock): string | undefined {
  // Room for a number in front and `.reason.txt` behind.
  const bare = basename(path).slice(-200);
  let name = bare;
  for (let number = 2; existsSync(join(folder, name)); number += 1)
    // After so many of one name, which a peer can make at will, each finds its place at once.
    name = number > 9 ? `${clock.newId()}-${bare}` : `${number}-${bare}`;
  syncFile(path);
  const isMoved = moveFile(path, join(folder, name));
  syncFolder(folder);
  return isMoved ? name : undefined;
}
