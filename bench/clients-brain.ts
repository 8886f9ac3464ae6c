import { join } from "node:path";
import {
  addMemories,
  goesOn,
  models,
  serveBrain,
  setConfig,
  takeHooksAway,
} from "../test/clients/brain-stage.ts";
import { type ClientName, clientNames } from "../test/clients/client.ts";
import type { ScriptedModel } from "../test/clients/scripted-model.ts";
import type { Stage } from "../test/clients/stage.ts";
import { quantile, tableOf } from "./measure.ts";

type OnStage = <T>(play: (stage: Stage) => Promise<T>) => Promise<T>;

/** What a CLI has to do beside its own work. */
const conditions: Readonly<Record<string, (stage: Stage, node: string) => Promise<void>>> = {
  "no hooks": async (stage) => {
    for (const client of clientNames) takeHooksAway(stage, client);
  },
  "hooks, brain switched off": async (stage) => setConfig(stage, { brain: false }),
  "hooks, brain that runs": async (stage, node) => {
    await serveBrain(stage, node);
    await addMemories(stage);
  },
};

const [turns, runs] = [14, 4];
/** Full enough that each tool's hook asks the brain, and too little for an alert. */
const fullShare = 0.88;

/** How long it takes until a request comes, with the brain's part in the hooks and without. */
export async function brainCosts(onStage: OnStage): Promise<string> {
  const rows: string[][] = [];
  for (const client of clientNames) {
    for (const [condition, prepare] of Object.entries(conditions)) {
      const found = await onStage(async (stage) => {
        await stage.install();
        await prepare(stage, process.execPath);
        return measure(stage, client);
      });
      rows.push([client, condition, ...found.map(shown)]);
    }
  }
  const columns = ["a tool's result", "the same, 88 % full", "a prompt", "a whole headless run"];
  return tableOf(["CLI", "condition", ...columns.map((it) => `${it}: p50 / p99 ms`)], rows);
}

function shown(values: readonly number[]): string {
  if (values.length === 0) return "-";
  return [0.5, 0.99].map((share) => quantile(values, share).toFixed(0)).join(" / ");
}

async function measure(stage: Stage, client: ClientName): Promise<number[][]> {
  const light = await measureTools(stage, client, 2);
  const full = await measureTools(stage, client, Math.round(models[client].tokensMax * fullShare));
  const prompts = client === "claude" ? await measurePrompts(stage) : [];
  return [light, full, prompts, await measureRuns(stage, client)];
}

/** From a call of a tool that costs nothing to the request with its result. */
async function measureTools(stage: Stage, client: ClientName, tokens: number): Promise<number[]> {
  const file = join(stage.project, `.${client}/settings.json`);
  const answers: number[] = [];
  const model = await stage.model(client, ({ count }) => {
    answers.push(Date.now());
    return count < turns ? { read: file } : { say: "Read." };
  });
  model.tokens = tokens;
  const flags = client === "claude" ? ["--allowedTools", "Read"] : ["--approval-mode", "yolo"];
  stage.checkEndedWell(await stage[client]("Read", ...flags, ...models[client].flags));
  return gaps(model, answers).slice(2);
}

function gaps(model: ScriptedModel, answers: readonly number[]): number[] {
  const comes = model.requests.flatMap(({ seen, atMs }) => (seen === undefined ? [] : [atMs]));
  return comes.slice(1).map((atMs, index) => atMs - (answers[index] ?? Number.NaN));
}

/** From a prompt to the request that holds it. */
async function measurePrompts(stage: Stage): Promise<number[]> {
  const model = await stage.model("claude", () => ({ say: "Noted." }));
  const conversation = stage.conversation();
  const found: number[] = [];
  for (let count = 0; count < turns; count += 1) {
    const fromMs = Date.now();
    await conversation.say(`Rename the variable counter to count${count} in the parser`);
    found.push((model.requests.at(-1)?.atMs ?? Number.NaN) - fromMs);
  }
  await conversation.end();
  return found.slice(2);
}

/** A run from its start to its end, in a conversation that goes on. */
async function measureRuns(stage: Stage, client: ClientName): Promise<number[]> {
  await stage.model(client, () => ({ say: "Noted." }));
  const found: number[] = [];
  for (let count = 0; count < runs; count += 1) {
    const ran = await stage[client](`Rename counter to count${count}`, ...goesOn[client]);
    stage.checkEndedWell(ran);
    found.push(ran.elapsedMs);
  }
  return found;
}
