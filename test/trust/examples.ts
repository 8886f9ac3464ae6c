import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isRecord, type JsonObject, type JsonValue } from "../../scripts-src/base/json.ts";
import type { HonestCase } from "./case.ts";
import { CasePlay } from "./play-case.ts";
import type { Step } from "./steps.ts";

const folder = resolve(import.meta.dirname, "../../examples");

export const exampleNames = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

export function reportFile(name: string): string {
  return join(folder, name, "report.md");
}

/** Plays a recorded session anew, its checks really read and run; gives its report. */
export async function playExample(name: string): Promise<string> {
  const playing = await new CasePlay(exampleIn(name)).play(false);
  assert.deepEqual([playing.broken, playing.rejection], [undefined, undefined]);
  return comparable(playing.report);
}

function exampleIn(name: string): HonestCase {
  const recorded = JSON.parse(readFileSync(join(folder, name, "session.json"), "utf8"));
  const { topic, mode, checks, steps } = objectOf(recorded);
  assert(typeof topic === "string" && Array.isArray(checks) && Array.isArray(steps));
  return {
    name,
    topic,
    project: join(folder, name, "project"),
    open: typeof mode === "string" ? ["--mode", mode] : [],
    config: `checks: ${JSON.stringify(checks)}\n`,
    steps: steps.map(stepOf),
    verdict: /./,
  };
}

function stepOf(value: JsonValue): Step {
  const { by, name, message, check } = objectOf(value);
  assert(typeof by === "string");
  const named = typeof name === "string" ? { name } : {};
  if (message !== undefined) return { act: "say", by, message: objectOf(message), ...named };
  assert(Array.isArray(check));
  const args = ["--session", "case", "--participant", by, ...check.map(String)];
  return { act: "script", script: "check", args, ...named };
}

function objectOf(value: JsonValue): JsonObject {
  assert(isRecord(value));
  return Object.fromEntries(Object.entries(value));
}

/** Without what differs from one playing to the next: times, durations, ids and places. */
function comparable(report: string): string {
  return report
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "2026-11-23T10:00:00Z")
    .replace(/\b\d+(?:\.\d+)? (ms|s)\b/g, "1 $1")
    .replace(/\b[0-9a-f]{64}\b/g, "0".repeat(64))
    .replace(/^(.*\bchecksum of the last )[0-9a-f]{8}/gm, "$100000000")
    .replace(/node \S*\/dist\//g, "node scripts/");
}
