/**
 * What Consulta costs inside the real Claude Code and Gemini CLI, with scripted models on loopback:
 * `npm run bench:clients`, or with other numbers of samples, `npm run bench:clients -- --idle 9
 * --busy 9 --turns 7 --other <dist>`, where the hooks of another build are measured beside these. It
 * prints the section of docs/clients.md, and takes about ten minutes.
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { skillNames } from "../scripts-src/clis/skill-names.ts";
import { type ClientName, clientNames } from "../test/clients/client.ts";
import { Colleague } from "../test/clients/colleague.ts";
import { follows } from "../test/clients/follow.ts";
import { clientPackages, findClients } from "../test/clients/install-clients.ts";
import { narrow } from "../test/clients/permissions.ts";
import { inOrder, type Mind, type ScriptedModel } from "../test/clients/scripted-model.ts";
import { Stage } from "../test/clients/stage.ts";
import {
  asksToBegin,
  colleagueOf,
  eventsOf,
  makeTalker,
  openingLine,
  sent,
} from "../test/clients/talk.ts";
import { inWords, makeVoices } from "../test/clients/voices.ts";
import { brainCosts } from "./clients-brain.ts";
import { turnCosts } from "./clients-turns.ts";
import { quantile, tableOf } from "./measure.ts";

const { values } = parseArgs({
  options: {
    idle: { type: "string", default: "18" },
    busy: { type: "string", default: "9" },
    turns: { type: "string", default: "7" },
    other: { type: "string" },
  },
});

const clients = await findClients();
if ("missing" in clients) throw new Error(clients.missing);
const { bin } = clients;
const prompt = `${asksToBegin}: SQLite or files?`;
/** A dialogue ends after ten rounds. */
const answersMax = 9;
const charactersPerToken = 4;
/** No other dialogue is begun for a row after that: a slow machine gives fewer samples. */
const rowMsMax = 40_000;

console.log(`## What it costs

\`npm run bench:clients\` with ${versions()}, Node ${process.version} and ${availableParallelism()} CPUs on ${today()}, both CLIs
headless with hooks. The models answer at once, so all time is the CLI's and the pack's own.

From the sender's commit to the first request that holds the message. Idle: the hook waits. Busy: the message comes in the middle of
a turn, which ends right after that; the last column counts from its end.
`);
console.log(await latencies());
console.log(
  "Characters of the pack with what each CLI puts around them, and tokens taken as a quarter.\n",
);
console.log(await sizes());
console.log("A whole dialogue, with both CLIs.\n");
console.log(await dialogues());
console.log("What the brain's part of the hooks adds.\n");
console.log(await brainCosts(onStage));
console.log(
  "A turn with 50 calls of a tool that reads a small file, beside the same turn without hooks.\n",
);
console.log(await turnCosts({ bin, rounds: Number(values.turns), other: values.other }));

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function versions(): string {
  return Object.entries(clientPackages)
    .map(([program, { version }]) => `${program} ${version}`)
    .join(", ");
}

async function latencies(): Promise<string> {
  const rows: string[][] = [];
  for (const client of clientNames) {
    for (const [state, wanted] of [
      ["idle", Number(values.idle)],
      ["busy", Number(values.busy)],
    ] as const) {
      const found: Wake[] = [];
      const endMs = performance.now() + rowMsMax;
      while (found.length < wanted && performance.now() < endMs) {
        const share = Math.min(answersMax, wanted - found.length);
        found.push(...(await onStage((stage) => measureWakes(stage, client, state, share))));
      }
      const commits = both(found.map(({ commitMs, readMs }) => readMs - commitMs));
      const ends = both(found.map(({ turnEndMs, readMs }) => readMs - turnEndMs));
      const afterTurn = state === "busy" ? ends.join(" / ") : "-";
      rows.push([client, state, String(found.length), ...commits, afterTurn]);
    }
  }
  const columns = ["CLI", "agent is", "samples", "p50 ms", "p99 ms"];
  return tableOf([...columns, "after its turn: p50 / p99 ms"], rows);
}

function both(values: readonly number[]): string[] {
  return [0.5, 0.99].map((share) => quantile(values, share).toFixed(0));
}

/** When a message was entered, when the turn before it ended, and when a request first held it. */
interface Wake {
  readonly commitMs: number;
  readonly turnEndMs: number;
  readonly readMs: number;
}

/** Lets a colleague answer an agent that waits, or one that is in the middle of a turn. */
async function measureWakes(
  stage: Stage,
  client: ClientName,
  state: "idle" | "busy",
  samples: number,
): Promise<Wake[]> {
  const begin = openingLine(client, await stage.install());
  const follow = follows({ begin, voice: makeTalker("asker", stage.project) });
  const turnEnds: number[] = [];
  let isFree: Promise<unknown> = Promise.resolve();
  const mind: Mind = async (seen) => {
    const step = await follow(seen);
    if ("say" in step) {
      await isFree;
      turnEnds.push(Date.now());
    }
    return step;
  };
  const model = await stage.model(client, mind);
  const colleague = new Colleague(
    stage,
    colleagueOf[client],
    "talk",
    makeTalker("colleague", stage.project),
  );
  let free = () => {};
  const hold = () => {
    isFree = new Promise<void>((done) => {
      free = done;
    });
  };
  if (state === "busy") hold();
  const ran = stage[client](prompt, ...narrow[client]);
  for (let count = 1; count <= samples; count += 1) {
    await model.until("after its message", sent(count));
    if (state === "idle") await waits(stage, client);
    await colleague.answers();
    const release = free;
    if (state === "busy") hold();
    release();
  }
  await model.until("after its last message", sent(samples + 1));
  const commits = messagesFrom(stage, colleagueOf[client]);
  const reads = commits.map((_, index) =>
    firstWith(model, `colleague: number ${index + 1} speaks`),
  );
  free();
  void ran.catch(() => undefined);
  return reads.slice(0, samples).map((readMs, index) => {
    const [commitMs = Number.NaN, turnEndMs = Number.NaN] = [commits[index], turnEnds[index]];
    return { commitMs, turnEndMs, readMs };
  });
}

/** Until the agent's hook has come to rest. */
async function waits(stage: Stage, client: ClientName): Promise<void> {
  while (!existsSync(join(stage.project, `.consulta/presence/${client}.ready`))) await sleep(50);
  await sleep(500);
}

/** When each message of a participant was entered. */
function messagesFrom(stage: Stage, participant: string): number[] {
  return eventsOf(stage)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ from, event }) => from === participant && event === "message_sent")
    .map(({ at }) => Date.parse(at));
}

function firstWith(model: ScriptedModel, text: string): number {
  const found = model.requests.find(({ seen }) => seen?.latest.includes(text));
  if (found === undefined) throw new Error(`no request holds ${text}`);
  return found.atMs;
}

async function sizes(): Promise<string> {
  const rows: string[][] = [];
  for (const client of clientNames) rows.push(...(await onStage((it) => measureSizes(it, client))));
  return tableOf(["CLI", "what", "characters", "tokens (characters / 4)"], rows);
}

/** What the requests of one conversation hold that is ours. */
async function measureSizes(stage: Stage, client: ClientName): Promise<string[][]> {
  const scripts = await stage.install();
  const follow = follows({
    begin: openingLine(client, scripts),
    voice: makeTalker("asker", stage.project),
  });
  const load = inOrder({ activate: "consulta" }, { say: "Loaded." });
  const loading = await stage.model(client, load);
  const tools = client === "claude" ? ["--allowedTools", "Skill"] : ["--approval-mode", "yolo"];
  await stage[client]("What is consulta?", ...tools);
  const [unused, loaded] = loading.turns();
  const model = await stage.model(client, follow);
  const colleague = new Colleague(
    stage,
    colleagueOf[client],
    "talk",
    makeTalker("colleague", stage.project),
  );
  const ran = stage[client](prompt, ...narrow[client]);
  for (const count of [1, 2, 3]) {
    await model.until("after its message", sent(count));
    await colleague.answers();
  }
  await model.until("after its last message", sent(4));
  void ran.catch(() => undefined);
  const turns = model.turns();
  const rings = turns.flatMap(
    ({ since }) => /Consulta: you have the turn.*/.exec(since)?.[0] ?? [],
  );
  const row = (what: string, count: number) => [
    client,
    what,
    String(count),
    String(Math.ceil(count / charactersPerToken)),
  ];
  return [
    row(
      "unused: names and descriptions of skills and commands",
      ours(unused?.context ?? "").length,
    ),
    row("to begin: the skill as it is loaded", (loaded?.since ?? "").length),
    row(
      "a turn: the hook's line",
      quantile(
        rings.map(({ length }) => length),
        0.5,
      ),
    ),
  ];
}

/** The lines in which a client offers what is ours. */
function ours(context: string): string {
  const lists = new RegExp(`^- (?:${skillNames.join("|")}).*$`, "gm");
  const blocks = new RegExp(`<skill>\\s*<name>(?:${skillNames.join("|")})<[\\s\\S]*?</skill>`, "g");
  return [...(context.match(blocks) ?? []), ...(context.match(lists) ?? [])].join("\n");
}

async function dialogues(): Promise<string> {
  const rows = [await onStage(playWithHooks), await onStage(playByConsult)];
  const columns = ["messages to consensus", "wall s", "requests", "characters of all requests"];
  return tableOf(columns, rows);
}

async function playWithHooks(stage: Stage): Promise<string[]> {
  const voices = makeVoices();
  const begin = openingLine("claude", await stage.install());
  const look = `node ${await stage.install()}/next-action.cjs --session talk`;
  const claude = await stage.model("claude", follows({ begin, voice: voices.claude }));
  const gemini = await stage.model("gemini", follows({ begin: look, voice: voices.gemini }));
  const startMs = performance.now();
  const asker = stage.claude(prompt, ...narrow.claude);
  await claude.until("after the question", sent(1));
  const runs = await Promise.all([asker, stage.gemini(prompt, ...narrow.gemini)]);
  for (const ran of runs) stage.checkEndedWell(ran);
  return summary("both CLIs headless with hooks", startMs, [claude, gemini]);
}

async function playByConsult(stage: Stage): Promise<string[]> {
  const voices = makeVoices();
  const claude = await stage.model("claude", inWords(voices.claude));
  const gemini = await stage.model("gemini", inWords(voices.gemini));
  const startMs = performance.now();
  stage.checkEndedWell(await stage.script("consult", ["SQLite or files?"], 300_000));
  return summary("consult, both CLIs", startMs, [claude, gemini]);
}

function summary(what: string, startMs: number, models: readonly ScriptedModel[]): string[] {
  const wall = (performance.now() - startMs) / 1_000;
  const requests = models.flatMap((model) => model.requests);
  const characters = requests.map(({ body }) => JSON.stringify(body ?? "").length);
  const sum = characters.reduce((one, other) => one + other, 0);
  return [what, wall.toFixed(1), String(requests.length), String(sum)];
}

async function onStage<T>(play: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = new Stage(bin);
  try {
    return await play(stage);
  } finally {
    stage.close();
  }
}
