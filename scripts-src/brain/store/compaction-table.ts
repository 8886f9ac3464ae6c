import { brainLimits } from "../rules/limits.ts";
import { checkSession } from "../rules/validate-memory.ts";
import type { BrainDatabase } from "./brain-database.ts";
import { columnNumber } from "./sql-row.ts";

/** Where CLIs were seen to compact. Who calls opens the transaction. */
export class CompactionTable {
  readonly #database: BrainDatabase;

  constructor(database: BrainDatabase) {
    this.#database = database;
  }

  save(of: string, tokens: number, at: string): void {
    checkSession(of);
    this.#database.run(
      `insert into compaction (of, tokens, at) values (?, ?, ?)
        on conflict (of) do update set tokens = excluded.tokens, at = excluded.at`,
      ...[of, tokens, at],
    );
    const older = "select of from compaction order by at desc limit -1 offset ?";
    this.#database.run(`delete from compaction where of in (${older})`, brainLimits.compactions);
  }

  tokens(of: string): number | undefined {
    const row = this.#database.get("select tokens from compaction where of = ?", of);
    return row && columnNumber(row, "tokens");
  }
}
