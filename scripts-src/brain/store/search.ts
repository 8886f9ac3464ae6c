import { brainLimits } from "../rules/limits.ts";
import type { Match, Memory } from "../rules/records.ts";
import {
  commonFrom,
  relevance,
  relevantScore,
  typicalCharacters,
  type WordCount,
} from "../rules/relevance.ts";
import {
  englishEverydayWords,
  type SearchWord,
  searchWords,
  subjectOf,
} from "../rules/search-words.ts";
import { searchedText } from "../rules/session-memories.ts";
import type { BrainDatabase } from "./database.ts";
import { columnNumber, columnText } from "./sqlite.ts";

/** Names one state of a memory. */
export function knownAs({ key, version }: { key: string; version: number }): string {
  return `${version} ${key}`;
}

/** What the search needs of the table of memories. */
interface Memories {
  /** The memory in a row that the index named. */
  at(id: number): Memory | undefined;
  count(): number;
}

interface Hit {
  readonly id: number;
  readonly score: number;
}

interface IndexWord extends WordCount {
  readonly forms: readonly string[];
}

/** Matches words against all memories. */
export class MemorySearch {
  readonly #database: BrainDatabase;
  readonly #memories: Memories;
  #everydayStems: ReadonlySet<string> | undefined;

  constructor(database: BrainDatabase, memories: Memories) {
    this.#database = database;
    this.#memories = memories;
  }

  search(query: string, limit: number): Match[] {
    const words = this.#count(searchWords(query, "any"));
    const rare = this.#rareWords(words);
    const common = words.filter(({ memories }) => memories > 0);
    const hits = rare.length > 0 ? this.#best(rare, limit) : this.#newest(common, limit);
    return this.#matches(hits).map(({ id: _, ...match }) => match);
  }

  /** What a prompt brings up by itself; `known` are memories that the session has already. */
  relevant(prompt: string, known: ReadonlySet<string>): Match[] {
    const words = this.#count(searchWords(prompt, "telling"));
    const rare = this.#rareWords(words);
    if (words.length < relevance.wordsMin || rare.length === 0) return [];
    const all = [...rare, ...words.filter((word) => word.memories === 0)];
    const best = this.#matches(this.#best(rare, relevance.candidates + known.size));
    const charactersTypical = typicalCharacters(best.map((match) => searchedText(match).length));
    const fresh = best.filter((match) => !known.has(knownAs(match)));
    const rest = { all, memories: this.#memories.count(), charactersTypical };
    return fresh
      .flatMap((match) => {
        const held = rare.filter(({ forms }) => this.#holds(match.id, forms));
        const whole = { ...rest, held, characters: searchedText(match).length };
        const subject = () => ({
          ...rest,
          held: held.filter(({ forms }) => this.#holds(match.id, forms, "{key tags} : ")),
          characters: subjectOf(match).length,
        });
        const score = relevantScore(whole, subject);
        return score === undefined ? [] : [{ match, score }];
      })
      .sort((one, other) => other.score - one.score)
      .slice(0, brainLimits.relevantMemories)
      .filter(({ score }, _, [first]) => score >= relevance.besideBest * (first?.score ?? 0))
      .map(({ match: { id: _, ...match }, score }) => ({ ...match, score }));
  }

  /** One word for each stem, as the index stems them: `tests` and `test` would count twice. */
  #count(words: readonly SearchWord[]): IndexWord[] {
    this.#everydayStems ??= new Set(this.#stems(englishEverydayWords).values());
    const everyday = this.#everydayStems;
    const max = commonFrom(this.#memories.count()) + 1;
    const stems = this.#stems(words.flatMap(({ forms }) => forms));
    const counted = new Map<string, IndexWord>();
    for (const { forms, isEveryday } of words) {
      const byStem = new Map(forms.flatMap((form) => pairIfAny(stems.get(form), form)));
      const stem = [...byStem.keys()].at(-1);
      if (stem === undefined || counted.has(stem)) continue;
      const known = this.#knownForms([...byStem.values()]);
      const memories = known.length === 0 ? 0 : this.#countUpTo(known, max);
      const word = { forms: known, memories, isEveryday: isEveryday || everyday.has(stem) };
      counted.set(stem, word);
    }
    return [...counted.values()];
  }

  /** The stem of each word, or stems where the index takes it for several; none where for none. */
  #stems(words: readonly string[]): Map<string, string> {
    for (const sql of scratch) this.#database.run(sql);
    const insert = "insert into temp.query (rowid, words) select key + 1, value from json_each(?)";
    this.#database.run(insert, JSON.stringify(words));
    const stems = new Map<string, string>();
    for (const row of this.#database.all("select doc, term from query_stem order by doc, offset")) {
      const word = words[columnNumber(row, "doc") - 1];
      if (word === undefined) continue;
      const before = stems.get(word);
      stems.set(
        word,
        before === undefined ? columnText(row, "term") : `${before} ${columnText(row, "term")}`,
      );
    }
    return stems;
  }

  /** Words that tell memories apart, the rarest first, as many as can be looked up in time. */
  #rareWords(words: readonly IndexWord[]): IndexWord[] {
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

  /** Forms that any memory has: each that is asked for costs time at every memory. */
  #knownForms(forms: readonly string[]): readonly string[] {
    return forms.length === 1 ? forms : forms.filter((form) => this.#countUpTo([form], 1) > 0);
  }

  #countUpTo(forms: readonly string[], max: number): number {
    const found = "select 1 from memory_index where memory_index match ? limit ?";
    const sql = `select count(*) as count from (${found})`;
    return columnNumber(this.#database.get(sql, anyOf(forms), max), "count");
  }

  #holds(id: number, forms: readonly string[], where = ""): boolean {
    const sql = "select 1 from memory_index where memory_index match ? and rowid = ?";
    return this.#database.get(sql, `${where}${anyOf(forms)}`, id) !== undefined;
  }

  #best(words: readonly IndexWord[], limit: number): Hit[] {
    const sql = `select rowid as id, -bm25(memory_index) as score from memory_index
      where memory_index match ? order by score desc limit ?`;
    const rows = this.#database.all(
      sql,
      words.map(({ forms }) => anyOf(forms)).join(" OR "),
      limit,
    );
    return rows.map((row) => ({ id: columnNumber(row, "id"), score: columnNumber(row, "score") }));
  }

  /** Where every word is in very many memories, a score would say little and take long. */
  #newest(words: readonly IndexWord[], limit: number): Hit[] {
    if (words.length === 0) return [];
    const sql =
      "select rowid as id from memory_index where memory_index match ? order by rowid desc limit ?";
    const query = words.map(({ forms }) => anyOf(forms)).join(" AND ");
    return this.#database
      .all(sql, query, limit)
      .map((row) => ({ id: columnNumber(row, "id"), score: 0 }));
  }

  #matches(hits: readonly Hit[]): (Match & Hit)[] {
    return hits.flatMap(({ id, score }) => {
      const memory = this.#memories.at(id);
      return memory === undefined ? [] : [{ ...memory, id, score }];
    });
  }
}

/** Where the words of a query are taken apart exactly as the index does it; gone with the process. */
const scratch = [
  `create virtual table if not exists temp.query using fts5(
    words, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
  )`,
  "insert into temp.query (query) values ('delete-all')",
  "create virtual table if not exists temp.query_stem using fts5vocab(temp, 'query', 'instance')",
];

function pairIfAny(stem: string | undefined, form: string): [string, string][] {
  return stem === undefined ? [] : [[stem, form]];
}

/** Forms as the query language takes them, whatever they look like: one of them is enough. */
function anyOf(forms: readonly string[]): string {
  const quoted = forms.map((form) => {
    const isBeginning = form.endsWith("*");
    const word = (isBeginning ? form.slice(0, -1) : form).replaceAll('"', '""');
    return `"${word}"${isBeginning ? "*" : ""}`;
  });
  return `(${quoted.join(" OR ")})`;
}
