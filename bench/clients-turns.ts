import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  looksAtFile,
  models,
  serveBrain,
  setConfig,
  takeHooksAway,
} from "../test/clients/brain-stage.ts";
import { type ClientName, clientNames } from "../test/clients/client.ts";
import { Stage } from "../test/clients/stage.ts";
import { median, tableOf } from "./measure.ts";

export interface TurnOptions {
  /** Where the clients lie. */
  readonly bin: string;
  readonly rounds: number;
  /** The `dist/` of another build, such as one from before there was a bell, to be compared with. */
  readonly other: string | undefined;
}

const calls = 50;
/** What a turn may take with hooks, as a share of what it takes without. */
const shareMax = 1.03;

/** Stages of one client on which the same turn is played, by what hooks do there. */
type Conditions = ReadonlyMap<string, Stage>;

/** From the first request to the last, and of the whole run with the start of the client. */
interface Took {
  readonly callsMs: number;
  readonly runMs: number;
}

/** How long a turn with many short calls of tools takes with hooks, and without any in the same rounds. */
export async function turnCosts({ bin, rounds, other }: TurnOptions): Promise<string> {
  const stages: Stage[] = [];
  const rows: string[][] = [];
  try {
    for (const client of clientNames) {
      const conditions = await conditionsOf(client, process.execPath, other, () => {
        const stage = new Stage(bin);
        stages.push(stage);
        return stage;
      });
      const took = await play(client, conditions, rounds);
      for (const [name, all] of took)
        rows.push([client, name, ...shown(all, took.get(bare) ?? [])]);
      for (const stage of stages.splice(0)) stage.close();
    }
  } finally {
    for (const stage of stages) stage.close();
  }
  const columns = [`${calls} calls, ms`, "share", "whole run, ms", "share"];
  return tableOf(["CLI", "condition", ...columns], rows);
}

const bare = "no hooks";

async function conditionsOf(
  client: ClientName,
  node: string,
  other: string | undefined,
  makeStage: () => Stage,
): Promise<Conditions> {
  const conditions = new Map<string, Stage>();
  const add = async (name: string, dist: string | undefined) => {
    const stage = makeStage();
    await stage.install(dist);
    conditions.set(name, stage);
    return stage;
  };
  takeHooksAway(await add(bare, undefined), client);
  emptyHooks(await add("hooks that only exit 0", undefined), client);
  const builds: [label: string, dist: string | undefined][] = [["hooks", undefined]];
  if (other !== undefined) builds.push(["hooks of the other build", other]);
  for (const [label, dist] of builds) {
    setConfig(await add(`${label}, brain switched off`, dist), { brain: false });
    await serveBrain(await add(`${label}, brain that runs`, dist), node);
  }
  return conditions;
}

/** Leaves hooks that do nothing: what the client itself pays for having any. */
function emptyHooks(stage: Stage, client: ClientName): void {
  const path = join(stage.project, `.${client}/settings.json`);
  const settings: unknown = JSON.parse(readFileSync(path, "utf8"));
  const emptied = (key: string, value: unknown) => (key === "command" ? "exit 0" : value);
  writeFileSync(path, JSON.stringify(settings, emptied));
}

/** Each round plays all conditions, beginning with another one; the first round does not count. */
async function play(client: ClientName, conditions: Conditions, rounds: number) {
  const took = new Map<string, Took[]>([...conditions.keys()].map((name) => [name, []]));
  const names = [...conditions];
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % names.length;
    for (const [name, stage] of [...names.slice(first), ...names.slice(0, first)]) {
      const one = await playTurn(stage, client);
      if (round > 0) took.get(name)?.push(one);
    }
  }
  return took;
}

async function playTurn(stage: Stage, client: ClientName): Promise<Took> {
  const model = await stage.model(client, ({ count }) =>
    count < calls ? looksAtFile(stage, count) : { say: "Read." },
  );
  const flags = client === "claude" ? ["--allowedTools", "Read"] : ["--approval-mode", "yolo"];
  const ran = await stage[client]("Read", ...flags, ...models[client].flags);
  stage.checkEndedWell(ran);
  const comes = model.requests.flatMap(({ seen, atMs }) => (seen === undefined ? [] : [atMs]));
  if (comes.length !== calls + 1) throw new Error(`${client} made ${comes.length} requests`);
  const [firstMs = Number.NaN, lastMs = Number.NaN] = [comes[0], comes.at(-1)];
  return { callsMs: lastMs - firstMs, runMs: ran.elapsedMs };
}

/** Medians, and the median of the shares within the rounds. */
function shown(took: readonly Took[], bare: readonly Took[]): string[] {
  return (["callsMs", "runMs"] as const).flatMap((what) => {
    const share = median(took.map((it, round) => it[what] / (bare[round]?.[what] ?? Number.NaN)));
    const verdict = `${share.toFixed(3)} ${share <= shareMax ? "ok" : "**missed**"}`;
    return [median(took.map((it) => it[what])).toFixed(0), took === bare ? "-" : verdict];
  });
}
