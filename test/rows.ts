/** The cells of a table that is written as text: a row a line, which may go on in indented lines, ` | ` between cells. */
export function rowsOf(table: string): string[][] {
  const lines = table.trim().replace(/\n\s+/g, " ").split("\n");
  return lines.map((line) => line.split(" | ").map((cell) => cell.trim()));
}
