import { boundedCount } from "../core/brain/check-draft.ts";
import { everydayWords } from "../core/brain/everyday-words.ts";
import {
  commonFrom,
  isRelevant,
  queryWords,
  relevance,
  scoreNeeded,
  type WordCount,
} from "../core/brain/relevance.ts";
import type { Match } from "../core/brain/store.ts";
import { limits } from "../core/limits.ts";
import type { BrainDatabase } from "./brain-database.ts";
import type { MemoryTable } from "./memory-table.ts";
import { knownAs } from "./session-table.ts";
import { numberAt, textAt } from "./sql-row.ts";

interface Hit {
  readonly id: number;
  readonly score: number;
}

/** Matches words against all memories. */
export class MemorySearch {
  readonly #database: BrainDatabase;
  readonly #memories: MemoryTable;
  #everydayStems: ReadonlySet<string> | undefined;

  constructor(database: BrainDatabase, memories: MemoryTable) {
    this.#database = database;
    this.#memories = memories;
  }

  search(query: string, limit: number): Match[] {
    const words = this.#count(queryWords(query));
    const rare = this.#rareWords(words);
    const count = boundedCount(limit);
    if (rare.length > 0) return this.#matches(this.#best(rare, count));
    const common = words.filter(({ memories }) => memories > 0);
    return common.length > 0 ? this.#matches(this.#newest(common, count)) : [];
  }

  /** What a prompt brings up by itself; `known` are memories that the session has already. */
  relevant(prompt: string, known: ReadonlySet<string>, factor: number): Match[] {
    const words = this.#count(queryWords(prompt));
    const rare = this.#rareWords(words);
    if (words.length < relevance.wordsMin || rare.length === 0) return [];
    const memories = this.#memories.count();
    const all = [...rare, ...words.filter((word) => word.memories === 0)];
    const found: Match[] = [];
    for (const { id, score } of this.#best(rare, relevance.candidates + known.size)) {
      const memory = this.#memories.at(id);
      if (memory === undefined || known.has(knownAs(memory))) continue;
      if (found.length === limits.relevantMemories || score < scoreNeeded(memories, factor)) break;
      const held = rare.filter(({ word }) => this.#holds(id, word));
      if (isRelevant({ score, held, all }, memories, factor)) found.push({ ...memory, score });
    }
    return found;
  }

  /** One word for each stem, as the index stems them: `tests` and `test` would count twice. */
  #count(words: readonly string[]): WordCount[] {
    this.#everydayStems ??= new Set(this.#stems(everydayWords).keys());
    const everyday = this.#everydayStems;
    const max = commonFrom(this.#memories.count()) + 1;
    return [...this.#stems(words)].map(([stem, word]) => ({
      word,
      memories: this.#countUpTo(word, max),
      isEveryday: everyday.has(stem),
    }));
  }

  /** The stems of words, each with the first word that has it. */
  #stems(words: readonly string[]): Map<string, string> {
    for (const sql of scratch) this.#database.run(sql);
    const insert = "insert into temp.query (rowid, words) select key + 1, value from json_each(?)";
    this.#database.run(insert, JSON.stringify(words));
    // A word of letters that SQLite does not know is none, or several.
    const sql = "select term, min(doc) as row from query_stem where offset = 0 group by term";
    return new Map(
      this.#database.all(sql).flatMap((row): [string, string][] => {
        const word = words[numberAt(row, "row") - 1];
        return word === undefined ? [] : [[textAt(row, "term"), word]];
      }),
    );
  }

  /** Words that tell memories apart, the rarest first, as many as can be looked up in time. */
  #rareWords(words: readonly WordCount[]): WordCount[] {
    const common = commonFrom(this.#memories.count());
    let touched = 0;
    return words
      .filter(({ memories }) => memories > 0 && memories <= common)
      .sort((one, other) => one.memories - other.memories)
      .filter(({ memories }) => {
        touched += memories;
        return touched <= relevance.touchedMax;
      });
  }

  #countUpTo(word: string, max: number): number {
    const found = "select 1 from memory_index where memory_index match ? limit ?";
    const sql = `select count(*) as count from (${found})`;
    return numberAt(this.#database.get(sql, quoted(word), max), "count");
  }

  #holds(id: number, word: string): boolean {
    // Node gives SQLite every number as a fraction, and the index takes no fraction for a rowid.
    const sql =
      "select 1 from memory_index where memory_index match ? and rowid = cast(? as integer)";
    return this.#database.get(sql, quoted(word), id) !== undefined;
  }

  #best(words: readonly WordCount[], limit: number): Hit[] {
    const sql = `select rowid as id, -bm25(memory_index) as score from memory_index
      where memory_index match ? order by score desc limit ?`;
    const rows = this.#database.all(sql, words.map(({ word }) => quoted(word)).join(" OR "), limit);
    return rows.map((row) => ({ id: numberAt(row, "id"), score: numberAt(row, "score") }));
  }

  /** Where every word is in very many memories, a score would say little and take long. */
  #newest(words: readonly WordCount[], limit: number): Hit[] {
    const sql =
      "select rowid as id from memory_index where memory_index match ? order by rowid desc limit ?";
    const query = words.map(({ word }) => quoted(word)).join(" AND ");
    return this.#database
      .all(sql, query, limit)
      .map((row) => ({ id: numberAt(row, "id"), score: 0 }));
  }

  #matches(hits: readonly Hit[]): Match[] {
    return hits.flatMap(({ id, score }) => {
      const memory = this.#memories.at(id);
      return memory === undefined ? [] : [{ ...memory, score }];
    });
  }
}

/** Where the words of a query are stemmed exactly as the index stems them; gone with the process. */
const scratch = [
  `create virtual table if not exists temp.query using fts5(
    words, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
  )`,
  `create virtual table if not exists temp.query_stem using fts5vocab(temp, 'query', 'instance')`,
  "insert into temp.query (query) values ('delete-all')",
];

/** A word as the query language takes it, whatever it looks like. */
function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}
