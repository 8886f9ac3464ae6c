/** What we use of Node's own SQLite: the types of Node 20, which we compile against, lack it. */
declare module "node:sqlite" {
  export type SqlValue = null | number | string | Uint8Array;
  export type SqlRow = Record<string, SqlValue>;

  export interface Statement {
    run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
    get(...values: SqlValue[]): SqlRow | undefined;
    all(...values: SqlValue[]): SqlRow[];
    iterate(...values: SqlValue[]): IterableIterator<SqlRow>;
  }

  export class DatabaseSync {
    readonly isOpen: boolean;
    constructor(path: string, options?: { readonly readOnly?: boolean });
    exec(sql: string): void;
    prepare(sql: string): Statement;
    close(): void;
  }
}
