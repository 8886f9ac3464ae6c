import { defined } from "../../base/omit-undefined.ts";
import type { Forgetting, Learning, Memory, MemoryDraft, StoreOutcome } from "./brain-store.ts";
import { textOf } from "./searchable-text.ts";

export interface MemoryChange {
  readonly outcome: StoreOutcome;
  /** What the store has to hold afterwards; undefined where nothing changes. */
  readonly memory?: Memory;
}

/**
 * What storing `draft` over `held` does. A key that is not there begins above `versionFloor`, the
 * highest version of all removed memories: else a writer could take a new memory for the removed one.
 */
export function changeMemory(
  held: Memory | undefined,
  draft: MemoryDraft,
  versionFloor: number,
  at: string,
): MemoryChange {
  const heldVersion = held?.version ?? 0;
  if (draft.ifVersion !== undefined && draft.ifVersion !== heldVersion) {
    return { outcome: { stored: false, refusal: "conflict", version: heldVersion } };
  }
  const tags = draft.tags ?? held?.tags ?? [];
  // To say the same again is no news: a session that knows it shall not be told once more.
  if (held !== undefined && isSame([held.value, held.tags], [draft.value, tags])) {
    return { outcome: { stored: true, version: heldVersion, created: false } };
  }
  const version = (held === undefined ? versionFloor : heldVersion) + 1;
  const memory: Memory = {
    key: draft.key,
    value: draft.value,
    tags: [...tags],
    source: draft.source,
    ...defined({ session: draft.session }),
    version,
    created: held?.created ?? at,
    updated: at,
  };
  return { outcome: { stored: true, version, created: held === undefined }, memory };
}

/** What taking `memory` over from another store makes of `held`; undefined when `held` stays. */
export function takeOver(
  held: Memory | undefined,
  memory: Memory,
  versionFloor: number,
): Memory | undefined {
  if (held === undefined) return { ...memory, version: Math.max(memory.version, versionFloor + 1) };
  if (memory.updated <= held.updated) return undefined;
  return { ...memory, version: Math.max(memory.version, held.version + 1) };
}

/** Whether something learned goes into the store: once, and never over what somebody else said. */
export function isToLearn(
  { digest, draft }: Learning,
  known: readonly string[],
  held: Memory | undefined,
): boolean {
  return !known.includes(digest) && (held === undefined || held.source === draft.source);
}

/**
 * Whether a key fits a pattern in which `*` stands for any characters and `?` for one. Takes time
 * that grows with the product of both lengths at most, whatever the pattern.
 */
export function fitsPattern(key: string, pattern: string): boolean {
  const [characters, signs] = [[...key], [...pattern]];
  let [at, signAt, star, starAt] = [0, 0, -1, 0];
  while (at < characters.length) {
    if (signs[signAt] === "*") {
      [star, starAt] = [signAt, at];
      signAt += 1;
    } else if (signs[signAt] === "?" || signs[signAt] === characters[at]) {
      at += 1;
      signAt += 1;
    } else if (star >= 0) {
      // Let the last star take one character more.
      starAt += 1;
      at = starAt;
      signAt = star + 1;
    } else return false;
  }
  return signs.slice(signAt).every((sign) => sign === "*");
}

/** What every key that fits begins with. */
export function literalStart(pattern: string): string {
  return pattern.split(/[*?]/, 1)[0] ?? "";
}

/** Whether a memory holds a text that is to be forgotten. */
export function holdsText(memory: Memory, text: string): boolean {
  const { key, value, tags, source, session = "" } = memory;
  return hasText([key, textOf(value), ...tags, source, session].join("\n"), text);
}

/** Whether a text holds another, in any case. */
export function hasText(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

export function isByText(what: Forgetting): what is Extract<Forgetting, { text: string }> {
  return "text" in what;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
