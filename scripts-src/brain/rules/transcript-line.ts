import { isRecord } from "../../base/json.ts";
import type { TokenUsage } from "./effective-window.ts";

/** Reads a transcript line by line from its end, until it knows how full the context is. */
export interface TranscriptScan {
  /** Takes the next line towards the beginning; true when no line before it matters. */
  take(line: string): boolean;
  /** What is known so far. */
  readonly usage: TokenUsage | undefined;
}

export function recordAt(value: unknown, name: string): Record<string, unknown> | undefined {
  const field = isRecord(value) ? value[name] : undefined;
  return isRecord(field) ? field : undefined;
}

/** Half a character, which a CLI may leave where it cuts a text, would make all of it unfit to store. */
export function fieldText(value: unknown, name: string): string | undefined {
  const field = isRecord(value) ? value[name] : undefined;
  return typeof field === "string" ? field.toWellFormed() : undefined;
}

/** A count of tokens; anything else is none. */
export function fieldNumber(value: unknown, name: string): number | undefined {
  const field = isRecord(value) ? value[name] : undefined;
  return typeof field === "number" && Number.isFinite(field) && field >= 0 ? field : undefined;
}
