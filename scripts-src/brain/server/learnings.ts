import { createHash } from "node:crypto";
import { ConsultaError } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { findSecret } from "../../base/secrets.ts";
import { isoSecond, millisecondsOf } from "../../base/time.ts";
import type { BrainStore, Learning, Look, MemoryDraft } from "../rules/store.ts";

type Note = (text: string) => void;

/** What may be learned; what looks like a secret is left out, and said so. */
export function learningsOf(drafts: readonly MemoryDraft[], at: string, note: Note): Learning[] {
  return drafts.flatMap((draft) => {
    const { key, value, tags = [] } = draft;
    const text = [key, value, ...tags].join("\n");
    const secret = findSecret(text);
    if (secret === undefined) return [{ digest: digestOf(text), draft, at }];
    note(`not learned: ${quote(key)} looks like ${secret}`);
    return [];
  });
}

/** Knows a text again and does not tell it. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64").slice(0, 20);
}

/** When something was said; a log may say anything, also a time to come. */
export function timeOf(lastAt: string, now: string): string {
  const [said, nowMs] = [millisecondsOf(lastAt), millisecondsOf(now)];
  return Number.isNaN(said) ? now : isoSecond(Math.min(Math.max(said, 0), nowMs));
}

/**
 * Stores looks in one go; where the store refuses one of them, each by itself.
 * @throws ConsultaError UNAVAILABLE when the disk is in the way: then nothing was stored.
 */
export function storeLooks(store: BrainStore, looks: readonly Look[], note: Note): number {
  try {
    return store.learn(looks);
  } catch (error) {
    if (!(error instanceof ConsultaError) || error.code !== "REFUSED") throw error;
    if (looks.length > 1) return looks.reduce((sum, it) => sum + storeLooks(store, [it], note), 0);
    note(`not learned: ${error.message}`);
    return 0;
  }
}
