import type { SqlRow } from "node:sqlite";

/** Readers for the columns of a row; a column of another kind than the schema's is a bug. */
export function columnText(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new TypeError(`${column} is ${typeof value}, expected text`);
}

export function textIfAny(row: SqlRow, column: string): string | undefined {
  return row[column] === null ? undefined : columnText(row, column);
}

export function columnNumber(row: SqlRow | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value === "number") return value;
  throw new TypeError(`${column} is ${typeof value}, expected a number`);
}

export function numberIfAny(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : columnNumber(row, column);
}
