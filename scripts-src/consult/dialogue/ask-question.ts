import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { shortLine } from "../../clis/short-line.ts";
import { parseDraft } from "../../dialogue/message.ts";
import { appendEvent } from "../../session/append-event.ts";
import { openSession, type SessionOpening } from "../../session/open-session.ts";
import type { Session } from "../../session/session.ts";
import type { Workspace } from "../../session/workspace/workspace.ts";

/** A user's question as a session takes it: a line to name it, and the message that asks it whole. */
export interface Question {
  readonly topic: string;
  readonly request: JsonObject;
}

/**
 * Checks a question before anything is written for it.
 * @throws ConsultaError REFUSED when it is empty, too long, or no text.
 */
export function parseQuestion(content: string): Question {
  const [firstLine = ""] = content.split("\n");
  if (content === "") {
    throw new ConsultaError(
      "REFUSED",
      'the question is empty; ask one: consult "Should we store sessions in SQLite or in files?"',
    );
  }
  const request = { type: "REQUEST", question_or_proposal: { content } };
  const bytes = Buffer.byteLength(JSON.stringify(request));
  if (bytes > limits.messageBytes) {
    throw new ConsultaError(
      "REFUSED",
      `the question makes a message of ${bytes} bytes, the limit is ${limits.messageBytes}; ` +
        "shorten it and name the files to read by path",
    );
  }
  const faults = parseDraft(request, true);
  if (!Array.isArray(faults))
    return { topic: shortLine(firstLine, limits.summaryCharacters), request };
  throw new ConsultaError("REFUSED", `the question cannot be sent: ${faults.join("; ")}`);
}

/**
 * Opens a session and asks the question in it for the first participant.
 * @throws ConsultaError REFUSED, UNAVAILABLE as `openSession` does.
 */
export async function askQuestion(
  workspace: Workspace,
  {
    request,
    participants,
    ...rest
  }: Question & Pick<SessionOpening, "participants" | "mode" | "require" | "onFull">,
  clock: Clock,
): Promise<Session> {
  const [initiator = ""] = participants;
  const opening = { ...rest, participants, at: clock.now(), eventId: clock.newId() };
  const { place } = await openSession(workspace, opening);
  return (await appendEvent(place, initiator, { message: request }, clock)).session;
}
