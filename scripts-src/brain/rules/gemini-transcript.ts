import { parseJsonObject } from "../../base/json.ts";
import type { TokenUsage } from "./effective-window.ts";
import { fieldNumber, fieldText, recordAt, type TranscriptScan } from "./transcript-line.ts";

type Entry = Record<string, unknown>;

/**
 * The context of a Gemini CLI session, out of its transcript read from the end: the tokens of the
 * last answer that has any. The same id may stand there twice, the later one with more in it. A
 * `$rewindTo` takes back the message that it names and all after it; a `$set` with messages
 * replaces all before it.
 */
export class GeminiTranscript implements TranscriptScan {
  usage: TokenUsage | undefined;
  /** Where a rewind went, until that message has been met. */
  #rewoundTo: string | undefined;
  readonly #takenBack = new Set<unknown>();

  take(line: string): boolean {
    const record = parseJsonObject(line);
    if (record === undefined) return false;
    const rewoundTo = fieldText(record, "$rewindTo");
    if (rewoundTo !== undefined) {
      this.#rewoundTo ??= rewoundTo;
      return false;
    }
    const replaced = recordAt(record, "$set")?.["messages"];
    if (Array.isArray(replaced)) return this.#takeReplaced(replaced);
    return this.#takeEntry(record);
  }

  #takeReplaced(messages: unknown[]): boolean {
    for (const message of [...messages].reverse()) {
      const entry = recordAt({ message }, "message");
      if (entry !== undefined && this.#takeEntry(entry)) break;
    }
    return true;
  }

  #takeEntry(entry: Entry): boolean {
    if (this.#rewoundTo !== undefined) {
      if (entry["id"] !== this.#rewoundTo) return false;
      this.#takenBack.add(this.#rewoundTo);
      this.#rewoundTo = undefined;
    }
    if (this.#takenBack.has(entry["id"]) || entry["type"] !== "gemini") return false;
    this.usage = answerUsage(entry);
    return this.usage !== undefined;
  }
}

function answerUsage(entry: Entry): TokenUsage | undefined {
  const tokens = recordAt(entry, "tokens");
  const model = fieldText(entry, "model");
  const [input, output] = [fieldNumber(tokens, "input"), fieldNumber(tokens, "output")];
  const sum = input === undefined ? undefined : input + (output ?? 0);
  const current = fieldNumber(tokens, "total") ?? sum;
  if (current === undefined) return undefined;
  return model === undefined ? { current } : { current, model };
}
