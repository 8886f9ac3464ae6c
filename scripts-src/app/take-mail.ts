import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { isRecord, type JsonValue, parseStrictJson } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import {
  createFileExclusively,
  moveFile,
  readFileIfPresent,
  writeFileAtomically,
} from "../store/atomic-file.ts";
import { ensureFolder } from "../store/safe-path.ts";
import type { Clock, Rejected } from "./foreign-mail.ts";
import { inboxOf, take } from "./mailbox.ts";
import { openSession } from "./open-session.ts";
import { loadSession, logOf, type Session } from "./session.ts";
import { submit } from "./submit.ts";
import type { Workspace } from "./workspace.ts";

/** Enters the given files of an inbox one after the other; see `takeForeignMail`. */
export async function enterMail(
  workspace: Workspace,
  participant: string,
  clock: Clock,
  files: string[],
): Promise<Rejected[]> {
  const rejected: Rejected[] = [];
  for (const file of files) {
    const reason = await enter(workspace, participant, file, clock);
    if (reason !== undefined) rejected.push({ file, reason });
  }
  return rejected;
}

/** A file this young that does not parse may still be being written. */
const tornFileMs = 2_000;

async function enter(workspace: Workspace, participant: string, file: string, clock: Clock) {
  const path = join(inboxOf(workspace, participant), file);
  try {
    // Our own copies are indented and carry what was filled in: they may be larger than a message.
    const text = readFileIfPresent(path, 2 * limits.messageBytes);
    if (text === undefined) return undefined;
    const message = parseStrictJson(text, `the file ${file}`);
    const copy = await deliveredCopy(workspace, participant, file, message);
    if (copy === "unanswered") return undefined;
    if (copy === undefined && Buffer.byteLength(text) > limits.messageBytes) {
      throw new ConsultaError("REFUSED", `a message has at most ${limits.messageBytes} bytes`);
    }
    if (copy === undefined) await enterMessage(workspace, participant, file, message, clock);
    take(workspace, participant, [file]);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code === "UNAVAILABLE") throw cause;
    if (isYoung(path, clock) && /is not JSON/.test(cause.message)) return undefined;
    reject(workspace, path, cause.message, clock);
    return cause.message;
  }
}

function isYoung(path: string, clock: Clock): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.parse(clock.now()) - found.mtimeMs < tornFileMs;
}

/** Copies that our scripts deliver carry the seq of their event, which the log must have. */
async function deliveredCopy(
  workspace: Workspace,
  participant: string,
  file: string,
  message: JsonValue,
): Promise<"unanswered" | "answered" | undefined> {
  if (!isRecord(message) || typeof message["seq"] !== "number") return undefined;
  const id = message["session_id"];
  if (typeof id !== "string") return undefined;
  const { machine, cursor } = await loadSession(workspace, id);
  if (message["seq"] > cursor.seq || !machine.standing().participants.includes(participant))
    return undefined;
  const { received } = machine.nextAction(participant);
  return received.some((delivery) => delivery.file === file) ? "unanswered" : "answered";
}

async function enterMessage(
  workspace: Workspace,
  participant: string,
  file: string,
  message: JsonValue,
  clock: Clock,
): Promise<void> {
  if (!isRecord(message)) throw new ConsultaError("REFUSED", "the message is no JSON object");
  const { session_id, from, type } = message;
  if (typeof session_id !== "string" || typeof from !== "string") {
    throw new ConsultaError("REFUSED", "the message lacks session_id or from");
  }
  const isNew = !existsSync(join(workspace.root, "sessions", session_id, "events.jsonl"));
  const session =
    isNew && type === "REQUEST"
      ? await openForForeign(workspace, session_id, [from, participant], topicOf(message), clock)
      : await loadSession(workspace, session_id);
  const { participants } = session.machine.standing();
  const sender = participants.find((name) => name !== participant);
  if (sender === undefined || !participants.includes(participant)) {
    throw new ConsultaError("REFUSED", `${participant} is not in session ${session_id}`);
  }
  // Who sent it follows from whose inbox it is in; the body's `from` must agree with that.
  const submission = {
    participant: sender,
    origin: "inbox" as const,
    file: basename(file),
    message,
  };
  await submit(session, { ...submission, at: clock.now(), id: clock.newId() });
}

async function openForForeign(
  workspace: Workspace,
  id: string,
  participants: string[],
  topic: string,
  clock: Clock,
): Promise<Session> {
  logOf(workspace, id);
  return openSession(workspace, {
    topic,
    participants,
    id,
    at: clock.now(),
    eventId: clock.newId(),
  });
}

function topicOf(message: Record<string, unknown>): string {
  const proposal = message["question_or_proposal"];
  const content = isRecord(proposal) ? proposal["content"] : undefined;
  const [line = ""] = typeof content === "string" ? content.trim().split("\n") : [];
  return line.slice(0, limits.summaryCharacters) || "a question from a colleague";
}

/** Moves a file to `errors/` with a `.reason.txt` beside it; several of one name are all kept. */
function reject(workspace: Workspace, path: string, reason: string, clock: Clock): void {
  const errors = ensureFolder(workspace.root, "errors");
  let name = basename(path);
  for (let number = 2; existsSync(join(errors, name)); number += 1)
    name = `${number}-${basename(path)}`;
  if (!moveFile(path, join(errors, name))) return;
  const text = `${reason}\nreceived ${clock.now()}\n`;
  if (!createFileExclusively(join(errors, `${name}.reason.txt`), text)) {
    writeFileAtomically(join(errors, `${name}.reason.txt`), text);
  }
}
