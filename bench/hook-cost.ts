import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findBrainNode } from "../test/brain/brain-node.ts";
import { models, serveBrain, setConfig, takeHooksAway } from "../test/clients/brain-stage.ts";
import { type ClientName, clientNames } from "../test/clients/client.ts";
import { findClients } from "../test/clients/install-clients.ts";
import { Stage } from "../test/clients/stage.ts";
import { quantile, type Section, verdict } from "./measure.ts";

export interface HookCostOptions {
  readonly folder: string;
  /** The commit whose hooks are measured beside those of now. */
  readonly old: string;
  readonly rounds: number;
}

const hookMsMax = 25;
const turns = 10;
const repository = join(import.meta.dirname, "..");

/** Whose hooks the CLI has. */
type Build = "none" | "old" | "new";
type Prepare = (stage: Stage, node: string) => Promise<void>;

const brains: Readonly<Record<string, Prepare>> = {
  "brain off": async (stage) => setConfig(stage, { brain: false }),
  "brain runs": (stage, node) => serveBrain(stage, node),
};

/**
 * What a call of a tool takes longer for the hooks, as the real CLIs feel it: from the model's answer to
 * the request with the tool's result, with the hooks of an old commit and of now, in turn.
 */
export async function measureHookCost({ folder, old, rounds }: HookCostOptions): Promise<Section> {
  const [clients, node] = [await findClients(), await findBrainNode()];
  if ("missing" in clients) throw new Error(clients.missing);
  if ("missing" in node) throw new Error(node.missing);
  const oldPack = checkOut(old, join(folder, "old"));
  const rows: string[][] = [];
  for (const client of clientNames) {
    for (const [brain, prepare] of Object.entries(brains)) {
      const took: Record<Build, number[]> = { none: [], old: [], new: [] };
      for (let round = 0; round < rounds; round += 1) {
        for (const build of ["none", "old", "new"] as const) {
          const stage = new Stage(clients.bin);
          try {
            await furnish(stage, build === "old" ? oldPack : repository);
            if (build === "none") takeHooksAway(stage, client);
            else await prepare(stage, node.path);
            took[build].push(...(await measureTools(stage, client)));
          } finally {
            stage.close();
          }
        }
      }
      rows.push([client, brain, ...shown(client, took)]);
    }
  }
  return {
    title: `Hooks: what a call of a tool takes longer, ms p50; ${old} against now`,
    columns: ["CLI", "brain", "without hooks", "old hooks add", "new hooks add"],
    rows,
    notes: [
      `${rounds} conversations of ${turns} calls each, the builds in turn; at most ${hookMsMax} ms in Claude Code.`,
      "In Claude Code the hook runs beside the conversation, which goes on at once; Gemini CLI waits for its own.",
    ],
  };
}

function shown(
  client: ClientName,
  { none, old, new: now }: Record<Build, readonly number[]>,
): string[] {
  const [bare, before, after] = [none, old, now].map((it) => quantile(it, 0.5));
  const added = (ms = Number.NaN) => ms - (bare ?? Number.NaN);
  return [
    (bare ?? Number.NaN).toFixed(0),
    added(before).toFixed(0),
    client === "claude"
      ? verdict(added(after), added(after) <= hookMsMax, 0)
      : added(after).toFixed(0),
  ];
}

/** Gives the folder with the pack as it was at a commit. */
function checkOut(commit: string, folder: string): string {
  mkdirSync(folder);
  const line = 'git archive "$1" dist skills .claude .gemini commands | tar -x -C "$2"';
  const words = ["-c", line, "bash", commit, folder];
  const { status, stderr } = spawnSync("bash", words, { cwd: repository, encoding: "utf8" });
  if (status === 0) return folder;
  throw new Error(`git has no pack at ${commit}: ${stderr}`);
}

async function furnish(stage: Stage, pack: string): Promise<void> {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(pack, "dist", "install.cjs"), "--hooks"],
    { cwd: stage.project, env: stage.environment(), encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`install ended with ${status}: ${stderr}`);
}

/** From a call of a tool that costs nothing to the request with its result. */
async function measureTools(stage: Stage, client: ClientName): Promise<number[]> {
  const answers: number[] = [];
  const model = await stage.model(client, ({ count }) => {
    answers.push(Date.now());
    return count < turns
      ? { read: join(stage.project, `.${client}/settings.json`) }
      : { say: "Read." };
  });
  const flags = client === "claude" ? ["--allowedTools", "Read"] : ["--approval-mode", "yolo"];
  stage.checkEndedWell(await stage[client]("Read", ...flags, ...models[client].flags));
  const comes = model.requests.flatMap(({ seen, atMs }) => (seen === undefined ? [] : [atMs]));
  // The first calls warm the caches.
  return comes.slice(3).map((atMs, index) => atMs - (answers[index + 2] ?? Number.NaN));
}
