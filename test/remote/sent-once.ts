import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isOneLine, type Ran } from "../dialogue/project.ts";
import type { Laptop } from "./laptop.ts";

/** A script says in one line what is wrong, and nothing else. */
export function checkFailed({ code, stdout, stderr }: Ran, fault: { code: number; said: RegExp }) {
  assert.deepEqual([code, stdout], [fault.code, ""], stderr);
  assert(isOneLine(stderr) && stderr.startsWith("error: "), stderr);
  assert.match(stderr, fault.said);
}

/** The stores that this machine knows of some session. */
function keys(at: Laptop): string[] {
  const folder = join(at.home, ".consulta", "stores");
  return existsSync(folder) ? readdirSync(folder).filter((it) => /^[0-9a-f]{32}$/.test(it)) : [];
}

/** Of a session that did not begin. */
export function checkNothingLeft(at: Laptop, id: string, before: readonly string[] = []): void {
  assert(!existsSync(at.path("sessions", id)), "nothing began");
  assert.deepEqual(keys(at), before);
}

/** How many events of a log hold some words. */
export function count(log: string, words: string): number {
  return log.split("\n").filter((line) => line.includes(words)).length;
}
