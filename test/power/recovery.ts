import assert from "node:assert/strict";
import { cpSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isRecord } from "../../scripts-src/base/json.ts";
import { type Stage, type Step, writeFiles } from "./scene.ts";
import type { Story } from "./stories.ts";

/** What lies in a project after a step that nothing cut, once everybody has looked. */
export interface Reference {
  /** What the log held when the step's command had ended. */
  readonly log: Buffer;
  readonly acts: readonly string[];
  readonly documents: ReadonlyMap<string, string>;
}

/** Tells a story without a cut; the reference of each step. */
export async function referencesOf(
  stage: Stage,
  project: string,
  story: Story,
): Promise<Reference[]> {
  const references: Reference[] = [];
  for (const [index, step] of story.steps.entries()) {
    writeFiles(project, step);
    checkEnded(step, await stage.run(project, step), [0]);
    const looked = `${project}-${index}`;
    cpSync(project, looked, { recursive: true });
    for (const look of story.looks) await stage.run(looked, look);
    const log = logOf(project, story);
    references.push({ log, acts: actsIn(log), documents: documentsIn(looked) });
  }
  return references;
}

/** A cut while a step was under way; `log` is what was acknowledged before it. */
export interface Moment {
  readonly step: number;
  readonly log: Buffer;
}

/**
 * Goes on after a cut as agents do: the same command again, since it gave no answer, the next one,
 * and a look by everybody. Nothing is repaired by hand.
 */
export async function checkRecovers(
  stage: Stage,
  project: string,
  story: Story,
  references: readonly Reference[],
  { step, log }: Moment,
): Promise<void> {
  const last = Math.min(step + 1, story.steps.length - 1);
  for (const index of new Set([step, last])) {
    const told = story.steps[index];
    if (told === undefined) continue;
    const isStored = actsIn(logOf(project, story)).length >= (references[index]?.acts.length ?? 0);
    const isAct = references[index]?.acts.length !== (references[index - 1]?.acts.length ?? 0);
    if (!(isAct && isStored)) writeFiles(project, told);
    await follow(stage, project, told, index === step ? (told.again ?? [0]) : [0]);
  }
  const after = logOf(project, story);
  assert(after.subarray(0, log.length).equals(log), "an acknowledged event is lost");
  const acts = actsIn(after);
  const count = references[step]?.acts.length ?? 0;
  // Who got no answer and does not ask next-action says it twice.
  const isTwice = acts[count] !== undefined && acts[count] === acts[count - 1];
  if (story.steps[step]?.isRepeatable && isTwice) acts.splice(count, 1);
  assert.deepEqual(acts, references[last]?.acts, "other events than without the cut");
  for (const look of story.looks) {
    checkEnded(look, await stage.run(project, look), look.again ?? [0]);
  }
  assert.deepEqual(asText(documentsIn(project)), asText(references[last]?.documents));
}

/** Runs a command, and what its refusal names where it was begun and not finished. */
async function follow(stage: Stage, project: string, step: Step, codes: readonly number[]) {
  const ended = await stage.run(project, step);
  checkEnded(step, ended, codes);
  if (ended.code === 0 || step.orElse === undefined) return;
  const other = { ...step, words: [...step.words, ...step.orElse] };
  checkEnded(other, await stage.run(project, other), [0]);
}

function checkEnded(
  step: Step,
  { code, out, errors }: { code: number | null; out: string; errors: string },
  codes: readonly number[],
): void {
  const said = `${step.script} ${step.words.join(" ")} ended with ${code}: ${errors || out}`;
  assert(codes.includes(code ?? -1), said);
}

function logOf(project: string, { log }: Story): Buffer {
  try {
    return readFileSync(join(project, log));
  } catch {
    return Buffer.alloc(0);
  }
}

/** What participants did, without the notes of what was shown to whom. */
function actsIn(log: Buffer): string[] {
  return log
    .toString()
    .split("\n")
    .flatMap((line) => {
      const event = parsed(line);
      if (!isRecord(event) || event["event"] === "in_turn" || event["event"] === "rung") return [];
      const message = isRecord(event["message"]) ? event["message"]["type"] : "";
      return [`${event["from"]} ${event["event"]} ${message}`];
    });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Every file that people and colleagues read, without what differs from run to run. */
function documentsIn(project: string): Map<string, string> {
  const documents = new Map<string, string>();
  for (const path of readdirSync(project, { recursive: true, encoding: "utf8" }).sort()) {
    if (isPrivate(path) || !lstatSync(join(project, path)).isFile()) continue;
    const content = readFileSync(join(project, path), "latin1");
    const text = path.endsWith(".json") ? sortedJson(content) : content;
    documents.set(withoutStamps(path), withoutStamps(text));
  }
  return documents;
}

/** The same for whatever says the same; text that is no JSON as it is. */
function sortedJson(text: string): string {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(value, sortedKeys, 2);
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The log, which is looked at on its own, signs of life, and what scripts keep for themselves. */
function isPrivate(path: string): boolean {
  const isHidden = path.split("/").some((name) => /^\.(?!consulta$|gitignore$|ready$)/.test(name));
  return (
    isHidden || /events\.jsonl$|(?:^|\/)presence\/|^home\//.test(path) || basename(path) === ""
  );
}

/** Times are in the log, and so in its hash, which a report tells. */
function withoutStamps(text: string): string {
  return (
    text
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME")
      .replace(/\d{8}T\d{6}Z/g, "STAMP")
      .replace(/"(seq|reply_to|id)": ?(?:\d+|"[^"]*")/g, '"$1": 0')
      .replace(/(message|seq) \d+/g, "$1 N")
      // The log's own hash, in which the times of its events are.
      .replace(/(checksum of the last) [0-9a-f]{8}\b/g, "$1 HASH")
      .replace(/\b\d+(?:\.\d+)? (?:s|min)\b/g, "DURATION")
  );
}

function asText(documents: ReadonlyMap<string, string> | undefined): Record<string, string> {
  return Object.fromEntries([...(documents ?? [])].map(([path, text]) => [path, shortened(text)]));
}

/** What differs stands at the end or at the beginning; a failure shall be readable. */
function shortened(text: string): string {
  return text.length <= 400 ? text : `${text.slice(0, 200)}...${text.length}...${text.slice(-160)}`;
}
