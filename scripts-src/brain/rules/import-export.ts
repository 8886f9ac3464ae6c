import { ConsultaError } from "../../base/errors.ts";
import { type JsonValue, parseStrictJson } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import {
  type Faults,
  type FieldReader,
  integerBetween,
  list,
  record,
  text,
  utcTime,
} from "../../base/schema.ts";
import { visibleText } from "../../base/visible-text.ts";
import type { BrainStore, LoadResult, Memory } from "./brain-store.ts";
import { brainLimits } from "./limits.ts";
import { utf8Bytes } from "./searchable-text.ts";

/** Memories that are taken over in one go. */
const batchMemories = 500;
/** A line holds one memory: at most six times its value, where all of it is escaped. */
const lineBytesMax = 1_048_576;

/** The memories after a key as JSON, each on a line of its own, in the order of their keys. */
export function* exportLines(store: BrainStore, from?: string): Generator<string> {
  for (let after = from; ; ) {
    const page = store.list("", brainLimits.memoriesListed, after);
    for (const memory of page) yield JSON.stringify(memory);
    after = page.at(-1)?.key;
    if (page.length < brainLimits.memoriesListed) return;
  }
}

/**
 * Takes over what `exportLines` gave; of two states of a key the newer one stays.
 * @throws ConsultaError REFUSED with the number of the first line that is no memory. Those before it
 * may be stored: mend the line and import all again. `linesBefore` were imported before.
 */
export function importLines(
  store: BrainStore,
  lines: Iterable<string>,
  linesBefore = 0,
): LoadResult {
  const total = { added: 0, replaced: 0, kept: 0 };
  const load = (memories: Memory[]) => {
    const { added, replaced, kept } = store.load(memories);
    total.added += added;
    total.replaced += replaced;
    total.kept += kept;
  };
  let [batch, number]: [Memory[], number] = [[], linesBefore];
  for (const line of lines) {
    number += 1;
    if (line.trim() !== "") batch.push(memoryIn(line, `line ${number}`));
    if (batch.length < batchMemories) continue;
    load(batch);
    batch = [];
  }
  load(batch);
  return total;
}

const json: FieldReader<{ readonly value: JsonValue }> = (value) => ({ value: toJson(value) });

/** Gives a parsed value its type; nothing but JSON comes out of a parser. */
function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

const readMemory = record(
  {
    key: text(brainLimits.memoryKeyBytes),
    value: json,
    tags: list(text(brainLimits.memoryTagCharacters), brainLimits.memoryTags),
    source: text(brainLimits.memorySourceCharacters),
    session: text(brainLimits.brainSessionCharacters),
    version: integerBetween(1, Number.MAX_SAFE_INTEGER),
    created: utcTime(),
    updated: utcTime(),
  },
  ["key", "value", "source", "version", "created", "updated"],
);

function memoryIn(line: string, what: string): Memory {
  if (utf8Bytes(line) > lineBytesMax) {
    throw new ConsultaError("REFUSED", `${what} has more than ${lineBytesMax} bytes: shorten it`);
  }
  const faults: Faults = { found: [], strict: true };
  const read = readMemory(parseStrictJson(line, what), "", faults);
  const { key, value, tags = [], source, session, version, created, updated } = read ?? {};
  const isWhole = key !== undefined && value !== undefined && source !== undefined;
  const isDated = version !== undefined && created !== undefined && updated !== undefined;
  if (faults.found.length > 0 || !isWhole || !isDated) {
    const reason = visibleText(faults.found.join("; "));
    throw new ConsultaError("REFUSED", `${what} is no memory: ${reason}; fix it or leave it out`);
  }
  const from = defined({ session });
  return { key, value: value.value, tags, source, ...from, version, created, updated };
}
