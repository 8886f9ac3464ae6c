import { isRecord, type JsonValue } from "../base/json.ts";
import { isUnwritten } from "../base/unwritten.ts";
import { findBlock } from "./find-block.ts";

/** The message that an answer ends with, or why there is none to send. */
export type MessageFound = { readonly message: JsonValue } | { readonly fault: string };

/**
 * Looks for the message in a participant's last words. A draft that nobody filled in is no message:
 * a program that only echoes its task must not vote.
 */
export async function findMessage(answer: string): Promise<MessageFound> {
  const found = await findBlock(answer, {
    name: "message",
    test: isMessage,
    none: "the answer holds no message; end it with one JSON code block that has type and question_or_proposal",
  });
  return "fault" in found ? found : unlessEmpty(found.value);
}

function isMessage(value: JsonValue): boolean {
  return isRecord(value) && "type" in value && "question_or_proposal" in value;
}

function unlessEmpty(message: JsonValue): MessageFound {
  const proposal = isRecord(message) ? message["question_or_proposal"] : undefined;
  const content = isRecord(proposal) ? proposal["content"] : undefined;
  if (typeof content !== "string" || !isUnfilled(content)) return { message };
  return { fault: "the message is the unfilled draft: its content says nothing; fill it in" };
}

/** Whether a text is no more than the place where one belongs. */
export function isUnfilled(text: string): boolean {
  return text.trim() === "" || isUnwritten(text);
}
