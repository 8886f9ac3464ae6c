import { isRecord, parseJsonObject, valueIn } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import type { TokenUsage } from "./methods.ts";

/** Reads a transcript line by line from its end, until it knows how full the context is. */
export interface TranscriptScan {
  /** Takes the next line towards the beginning; true when no line before it matters. */
  take(line: string): boolean;
  /** What is known so far. */
  readonly usage: TokenUsage | undefined;
}

/** Half a character, which a CLI may leave where it cuts a text, would make all of it unfit to store. */
export function fieldText(value: unknown, ...names: readonly string[]): string | undefined {
  const field = valueIn(value, ...names);
  return typeof field === "string" ? field.toWellFormed() : undefined;
}

/** A count of tokens; anything else is none. */
export function fieldNumber(value: unknown, ...names: readonly string[]): number | undefined {
  const field = valueIn(value, ...names);
  return typeof field === "number" && Number.isFinite(field) && field >= 0 ? field : undefined;
}

/**
 * The context of a Claude Code session, out of its transcript read from the end: the usage of the
 * main thread's last answer, or what a compaction nearer the end left of it. Side chains, errors
 * and answers that the CLI made up itself say nothing about the context.
 */
export class ClaudeTranscript implements TranscriptScan {
  usage: TokenUsage | undefined;

  take(line: string): boolean {
    const record = parseJsonObject(line);
    if (record === undefined) return false;
    if (record["type"] === "system" && record["subtype"] === "compact_boundary") {
      this.usage ??= afterCompaction(record);
      return false;
    }
    if (record["type"] !== "assistant" || record["isSidechain"] === true) return false;
    const answer = claudeUsage(record);
    if (answer === undefined) return false;
    // A boundary does not say which model; the answer before it does.
    this.usage = { ...answer, ...this.usage };
    return true;
  }
}

function afterCompaction(record: Record<string, unknown>): TokenUsage | undefined {
  const current = fieldNumber(record, "compactMetadata", "postTokens");
  return current === undefined ? undefined : { current };
}

function claudeUsage(record: Record<string, unknown>): TokenUsage | undefined {
  const model = fieldText(record, "message", "model");
  if (record["isApiErrorMessage"] === true || model === "<synthetic>") return undefined;
  const tokens = (name: string) => fieldNumber(record, "message", "usage", name);
  const input = tokens("input_tokens");
  if (input === undefined) return undefined;
  const more = ["cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
  const current = more.reduce((sum, name) => sum + (tokens(name) ?? 0), input);
  return { current, ...defined({ model }) };
}

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
    const replaced = valueIn(record, "$set", "messages");
    if (!Array.isArray(replaced)) return this.#takeEntry(record);
    replaced
      .filter(isRecord)
      .reverse()
      .some((entry) => this.#takeEntry(entry));
    return true;
  }

  #takeEntry(entry: Record<string, unknown>): boolean {
    if (this.#rewoundTo !== undefined) {
      if (entry["id"] !== this.#rewoundTo) return false;
      this.#takenBack.add(this.#rewoundTo);
      this.#rewoundTo = undefined;
    }
    if (this.#takenBack.has(entry["id"]) || entry["type"] !== "gemini") return false;
    this.usage = geminiUsage(entry);
    return this.usage !== undefined;
  }
}

function geminiUsage(entry: Record<string, unknown>): TokenUsage | undefined {
  const tokens = (name: string) => fieldNumber(entry, "tokens", name);
  const input = tokens("input");
  const sum = input === undefined ? undefined : input + (tokens("output") ?? 0);
  const current = tokens("total") ?? sum;
  const model = fieldText(entry, "model");
  return current === undefined ? undefined : { current, ...defined({ model }) };
}

/** The context of a conversation of Codex, which counts it after each answer, with the window that it has. */
export class CodexTranscript implements TranscriptScan {
  usage: TokenUsage | undefined;

  take(line: string): boolean {
    const record = parseJsonObject(line);
    if (valueIn(record, "payload", "type") !== "token_count") return false;
    const info = valueIn(record, "payload", "info");
    const current = fieldNumber(info, "last_token_usage", "total_tokens");
    const window = fieldNumber(info, "model_context_window");
    this.usage = current === undefined ? undefined : { current, ...defined({ raw_total: window }) };
    return this.usage !== undefined;
  }
}
