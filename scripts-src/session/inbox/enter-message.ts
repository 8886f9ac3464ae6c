import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { ConsultaError, refused } from "../../base/errors.ts";
import { isJsonObject, isRecord, type JsonValue, parseJsonObject, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { parseSessionId } from "../../base/names.ts";
import { defined } from "../../base/omit-undefined.ts";
import { singleLine } from "../../base/visible-text.ts";
import { parseDraft } from "../../dialogue/message.ts";
import { textIfSound } from "../../files/atomic-file.ts";
import { ensureFolder } from "../../files/safe-path.ts";
import { createSession } from "../create-session.ts";
import { placeIn } from "../place.ts";
import { isSessionFolder, readSession, type Session, standingOf } from "../session.ts";
import { listOwnOpen } from "../session-list.ts";
import { submit } from "../submit.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * Enters a message that somebody put into an inbox by hand, into the session that it is for; a REQUEST
 * may open one. Returns the session with it, and whether it is new.
 * @throws ConsultaError REFUSED for a message that no session can take, NOT_YET for one that came too
 * early.
 */
export async function enterMessage(
  workspace: Workspace,
  participant: string,
  { message, text }: { message: JsonValue; text: string },
  file: string | undefined,
  clock: Clock,
): Promise<{ session: Session; isNew: boolean }> {
  if (Buffer.byteLength(text) > limits.messageBytes) {
    throw refused(`a message has at most ${limits.messageBytes} bytes`);
  }
  if (!isJsonObject(message)) throw refused("the message is no JSON object");
  const { session_id, from, to, type } = message;
  if (typeof session_id !== "string" || typeof from !== "string") {
    throw refused("the message lacks session_id or from");
  }
  const named = parseSessionId(session_id);
  // Looked at before a session is opened for it: a refused REQUEST must leave none behind.
  const draft = parseDraft(message, false);
  if (Array.isArray(draft)) {
    throw refused(`the message is malformed: ${draft.slice(0, 4).join("; ")}`);
  }
  const id = await sessionMeant(workspace, named, [from, participant], type === "REQUEST");
  const isNew = type === "REQUEST" && !isSessionFolder(placeIn(workspace, id).folder);
  if (isNew && to !== undefined && to !== participant) {
    throw refused(`to is ${quote(to)}, but this is the inbox of ${participant}`);
  }
  const session = isNew
    ? await openForForeign(
        workspace,
        id,
        [from, participant],
        topicOf(workspace, named, message),
        clock,
      )
    : await readSession(placeIn(workspace, id));
  const { participants } = standingOf(session);
  const sender = participants.find((name) => name !== participant);
  if (sender === undefined || !participants.includes(participant)) {
    throw refused(`${participant} is not in session ${id}`);
  }
  // Who sent it follows from whose inbox it is in; the body's `from` must agree with that.
  const fields = {
    message: { ...message, session_id: id },
    ...defined({ file }),
  };
  const submitted = await submit(session, { participant: sender, origin: "inbox", fields }, clock);
  return { session: submitted.session, isNew };
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
    const { ended, hasTurns, participants } = standingOf(await readSession(placeIn(workspace, id)));
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
    return await createSession(workspace, { topic, participants, id, ...times });
  } catch (cause) {
    // Another process of ours found the same file and was faster.
    if (!(cause instanceof ConsultaError) || cause.code !== "EXISTS") throw cause;
    return readSession(placeIn(workspace, id));
  }
}

/** The words for the topic that the sender chose, where it wrote them as the original does. */
function topicOf(workspace: Workspace, named: string, message: Record<string, unknown>): string {
  const path = join(ensureFolder(workspace.root, "sessions"), `${named}.json`);
  const written = textIfSound(path, limits.messageBytes);
  return topicIn(written, named) ?? firstLine(message);
}

function topicIn(text: string | undefined, named: string): string | undefined {
  const entry = parseJsonObject(text ?? "");
  if (entry?.["session_id"] !== named || entry["state"] !== "IN_PROGRESS") return undefined;
  const topic = singleLine(typeof entry["topic"] === "string" ? entry["topic"] : "");
  return topic.slice(0, limits.summaryCharacters) || undefined;
}

function firstLine(message: Record<string, unknown>): string {
  const proposal = message["question_or_proposal"];
  const content = isRecord(proposal) ? proposal["content"] : undefined;
  const [line = ""] = typeof content === "string" ? content.trim().split("\n") : [];
  return singleLine(line).slice(0, limits.summaryCharacters) || "a question from a peer";
}
