import { isRecord, parseJsonObject } from "../../base/json.ts";
import type { TokenUsage } from "./effective-window.ts";
import { fieldNumber, fieldText, recordAt, type TranscriptScan } from "./transcript-line.ts";

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
    const answer = answerUsage(record);
    if (answer === undefined) return false;
    // A boundary does not say which model; the answer before it does.
    this.usage = this.usage === undefined ? answer : withModel(this.usage, answer.model);
    return true;
  }
}

function withModel(usage: TokenUsage, model: string | undefined): TokenUsage {
  return model === undefined ? usage : { ...usage, model };
}

/** `preTokens` of a compaction that nobody asked for is where the CLI really compacts. */
function afterCompaction(record: Record<string, unknown>): TokenUsage | undefined {
  const metadata = recordAt(record, "compactMetadata");
  const after = fieldNumber(metadata, "postTokens");
  if (after === undefined) return undefined;
  const before = fieldNumber(metadata, "preTokens");
  const learned = fieldText(metadata, "trigger") === "auto" ? before : undefined;
  return learned === undefined ? { current: after } : { current: after, compacted_at: learned };
}

function answerUsage(record: Record<string, unknown>): TokenUsage | undefined {
  const message = recordAt(record, "message");
  const usage = recordAt(message, "usage");
  const model = fieldText(message, "model");
  if (record["isApiErrorMessage"] === true || model === "<synthetic>" || !isRecord(usage))
    return undefined;
  const parts = [
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
  ].map((name) => fieldNumber(usage, name));
  if (parts[0] === undefined) return undefined;
  const current = parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  return model === undefined ? { current } : { current, model };
}
