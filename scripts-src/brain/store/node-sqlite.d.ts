/** What we use of Node's own SQLite: the types of Node 20, which we compile against, lack it. */
declare module "node:sqlite" {
  export type SqlValue = null | number | bigint | string | Uint8Array;
  export type SqlRow = Readonly<Record<string, unknown>>;

  export interface Statement {
    run(...values: SqlValue[]): unknown;
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
