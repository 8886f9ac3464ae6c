import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const starting = /from "(?:node:child_process|node:cluster|node:worker_threads|esbuild)"/;
const relativeImport = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;
const known = new Map<string, boolean>();

/** Whether a source file, or one that it imports, can start a process. */
export function startsProcess(path: string): boolean {
  const before = known.get(path);
  if (before !== undefined) return before;
  // Two that import each other: the first decides.
  known.set(path, false);
  const found = looksForOne(path);
  known.set(path, found);
  return found;
}

function looksForOne(path: string): boolean {
  if (!existsSync(path)) return false;
  const text = readFileSync(path, "utf8");
  if (starting.test(text)) return true;
  const imports = [...text.matchAll(relativeImport)].map(([, to = ""]) => to);
  return imports.some((to) => startsProcess(resolve(dirname(path), to)));
}
