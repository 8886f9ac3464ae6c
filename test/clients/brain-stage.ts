import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import type { ClientName } from "./client.ts";
import type { OtherClient } from "./install-clients.ts";
import { type Process, until } from "./processes.ts";
import type { ScriptedModel, Seen, Step } from "./scripted-model.ts";
import { describeClients, type Play, type Stage } from "./stage.ts";

const fixture = resolve("test/brain/coding-memories.jsonl");

/** Of what the window of a model holds until its client compacts it. */
export const models = {
  claude: { flags: ["--model", "claude-sonnet-4-6"], tokensMax: 167_000 },
  gemini: { flags: [], tokensMax: 524_288 },
} as const;

export const alertWords = {
  memory_full: /Your context is [\d.]+ % full[^\n]*compacted soon/,
  hallucination_risk: /Your context is [\d.]+ % full[^\n]*what you recall/,
};

/** In a request of Claude Code for a summary of all that came before. */
export const summarizes = /inside <summary><\/summary> tags|an <analysis> block/;

/** What lets a conversation with a client go on in a new process. */
export const goesOn = { claude: ["--continue"], gemini: ["--resume", "latest"] };

interface BrainStage {
  readonly stage: Stage;
  /** A Node that runs the brain. */
  readonly node: string;
}

/** A test on a stage of its own, beside which nothing may be left running. */
type PlayWithBrain = (name: string, test: (at: BrainStage) => Promise<void>) => void;

/** A suite that needs both clients and a Node that runs the brain. */
export async function describeBrain(
  name: string,
  suite: (play: PlayWithBrain) => void,
  faultOf: () => string | undefined = () => undefined,
  others: readonly OtherClient[] = [],
): Promise<void> {
  const checked = (test: (at: BrainStage) => Promise<void>) => async (stage: Stage) => {
    await test({ stage, node: process.execPath });
    assert.equal(hookFailure(stage), "");
    // Whatever has come to its end must have ended: a brain may stay, hooks may not.
    await until("nothing runs but one brain", () => {
      const left = stage.processes();
      return left.length < 2 && left.every(isBrain);
    });
    stage.close();
    await until("nothing runs at all", () => stage.processes().length === 0);
  };
  const plays = (play: Play) => suite((what, test) => play(what, checked(test)));
  await describeClients(name, plays, faultOf, others);
}

/**
 * A call of a tool for which no client asks its user, so that hooks speak after it; of another file
 * each time, for Gemini CLI ends a turn that repeats itself.
 */
export function looksAtFile(stage: Stage, count: number): Step {
  const path = join(stage.project, `notes-${count}.txt`);
  writeFileSync(path, "There are three.\n");
  return { read: path };
}

export function isBrain({ command }: Process): boolean {
  return /brain\.cjs serve/.test(command);
}

/** Until nothing has happened for a while but that the client's hook waits. */
export async function rests(stage: Stage): Promise<void> {
  const hooks = () => stage.processes().filter(({ command }) => isHook.test(command));
  await until("one hook waits", () => hooks().length === 1);
  await sleep(1_000);
  await until("it still waits", () => hooks().length === 1);
}

/**
 * Until the hooks have ended that run beside the conversation: a real model takes longer for an answer
 * than they do, a scripted one does not.
 */
export async function hooksEnd(stage: Stage): Promise<void> {
  await sleep(200);
  await until("no hook runs", () => !stage.processes().some((it) => isHook.test(it.command)));
  await sleep(100);
}

const isHook = /^node \S*run\.cjs hook claude/;

/** Runs the brain as a person does who has started it in a terminal. */
export async function serveBrain(stage: Stage, node: string): Promise<void> {
  const script = join(stage.project, projectScripts, "brain.cjs");
  const words = ["--no-warnings", script, "serve", "--workspace", stage.project];
  const options = { env: stage.environment(), cwd: stage.project, detached: true };
  const child = spawn(node, words, { ...options, stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data", { signal: AbortSignal.timeout(10_000) });
  child.stdout.destroy();
  child.unref();
}

/** Whether the brain of the project runs. */
export function hasBrain(stage: Stage): boolean {
  return existsSync(join(stage.project, ".consulta/brain/endpoint.json"));
}

export function setConfig(stage: Stage, config: object): void {
  const folder = join(stage.project, ".consulta");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
}

/** Leaves no hook in a client's settings. */
export function takeHooksAway(stage: Stage, client: ClientName): void {
  const path = join(stage.project, `.${client}/settings.json`);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), hooks: {} }));
}

/** Runs a command of the brain from a terminal; gives what it prints. */
export async function brain(stage: Stage, ...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await stage.script("brain", words);
  assert.equal(exitCode, 0, `${stdout}\n${stderr}`);
  return stdout;
}

/** Fills the brain with memories, among which one that fits has to be found. */
export async function addMemories(stage: Stage): Promise<void> {
  const at = new Date().toISOString();
  const [created, updated, source] = [at, at, "person"];
  const lines = readFileSync(fixture, "utf8").trim().split("\n");
  const memories = lines.map((line) => ({
    ...JSON.parse(line),
    ...{ created, updated, source, version: 1 },
  }));
  const path = join(stage.project, "..", "memories.jsonl");
  writeFileSync(path, memories.map((memory) => JSON.stringify(memory)).join("\n"));
  await brain(stage, "import", path);
}

/** The line with which a model runs a command of the brain. */
export function brainLine(command: string): string {
  return `node ${projectScripts}/brain.cjs ${command}`;
}

/** Which requests, counted from 0, hold these words in what was new to them. */
export function requestsWith(model: ScriptedModel, words: RegExp): number[] {
  return model.turns().flatMap(({ since }: Seen, index) => (words.test(since) ? [index] : []));
}

/** Why hooks failed here, if they did. */
function hookFailure(stage: Stage): string {
  const path = join(stage.project, ".consulta/errors/hook.txt");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
