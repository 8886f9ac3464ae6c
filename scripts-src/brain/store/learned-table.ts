import { isStringArray } from "../../base/json.ts";
import type { SourceLook } from "../rules/brain-store.ts";
import { brainLimits } from "../rules/limits.ts";
import { isToLearn } from "../rules/memory-change.ts";
import type { BrainDatabase } from "./brain-database.ts";
import type { MemoryTable } from "./memory-table.ts";
import { columnText } from "./sql-row.ts";

/** Which sources have been learned, and what of them. Who calls opens the transaction. */
export class LearnedTable {
  readonly #database: BrainDatabase;
  readonly #memories: MemoryTable;

  constructor(database: BrainDatabase, memories: MemoryTable) {
    this.#database = database;
    this.#memories = memories;
  }

  learn(looks: readonly SourceLook[]): number {
    const stored = looks.reduce((sum, look) => sum + this.#learn(look), 0);
    this.#database.run(
      `delete from learned where rowid in
        (select rowid from learned order by rowid desc limit -1 offset ?)`,
      brainLimits.learnedSources,
    );
    return stored;
  }

  #learn({ source, stamp, learnings }: SourceLook): number {
    const digests = this.#digestsOf(source);
    let stored = 0;
    for (const learning of learnings) {
      const { digest, draft, at } = learning;
      const isNew = isToLearn(learning, digests, this.#memories.retrieve(draft.key));
      if (isNew && this.#memories.store(draft, at).stored) stored += 1;
      if (!digests.includes(digest)) digests.push(digest);
    }
    this.#database.run(
      `insert into learned (source, stamp, digests) values (?, ?, ?)
        on conflict (source) do update set stamp = excluded.stamp, digests = excluded.digests`,
      ...[source, stamp, JSON.stringify(digests)],
    );
    return stored;
  }

  #digestsOf(source: string): string[] {
    const row = this.#database.get("select digests from learned where source = ?", source);
    const digests: unknown = JSON.parse(row === undefined ? "[]" : columnText(row, "digests"));
    return isStringArray(digests) ? digests : [];
  }

  stamps(): Map<string, string> {
    const rows = this.#database.all("select source, stamp from learned");
    return new Map(rows.map((row) => [columnText(row, "source"), columnText(row, "stamp")]));
  }
}
