import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { nodesBySqlite } from "../test/other-node.ts";
import { environment, quantile, type Section, verdict } from "./measure.ts";

export interface BrainOptions {
  readonly folder: string;
  /** How many memories; the last count is the one that the target is for. */
  readonly counts: readonly number[];
}

/** The most CPU that a prompt may cost in the largest brain. */
const relevanceMsMax = 60;
/** The most that a prompt may cost by WebAssembly, of what it costs by `node:sqlite`. */
const wasmTimesMax = 2;

interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

interface Measured {
  readonly sqlite: "own" | "wasm";
  readonly count: number;
  readonly bytes: number;
  readonly rssBytes: number;
  readonly built: Cost;
  readonly stores: Cost[];
  readonly retrievals: Cost[];
  readonly relevances: Cost[];
  readonly searches: Cost[];
  readonly forgotten: Cost;
}

/** The store of the brain, in a process of its own for each size and SQLite; by WebAssembly all but the largest. */
export async function measureBrain({ folder, counts }: BrainOptions): Promise<Section> {
  const nodes = await nodesBySqlite();
  const largest = counts.at(-1);
  const results = counts.flatMap((count) =>
    (["own", "wasm"] as const)
      .filter((sqlite) => sqlite === "own" || count !== largest)
      .map((sqlite): Measured => {
        const place = join(folder, `${count}-${sqlite}`);
        return { sqlite, ...measureOne(nodes[sqlite], place, count) };
      }),
  );
  const nameOf = ({ count, sqlite }: Measured) =>
    `${count.toLocaleString("en")}${sqlite === "wasm" ? ", WebAssembly" : ""}`;
  return {
    title: "Brain: memories of 60 words each, prompts of 10",
    columns: ["what", ...results.map(nameOf), "target"],
    rows: [
      ["durable store, wall ms p50 / p99", ...results.map((it) => wall(it.stores)), ""],
      ["durable store, CPU ms p50 / p99", ...results.map((it) => cpu(it.stores)), ""],
      ["retrieve by key, CPU ms p50 / p99", ...results.map((it) => cpu(it.retrievals)), ""],
      [
        "what a prompt brings up, CPU ms p50 / p99",
        ...results.map((it, index) => relevance(it, it.count === largest, results[index - 1])),
        `p99 under ${relevanceMsMax}; by WebAssembly p50 at most ${wasmTimesMax} times`,
      ],
      ["search, CPU ms p50 / p99", ...results.map((it) => cpu(it.searches)), ""],
      ["loaded at once, a CPU second", ...results.map(perSecond), ""],
      ["forget one without a trace, wall s", ...results.map((it) => seconds(it.forgotten)), ""],
      ["on disk, MB", ...results.map((it) => megabytes(it.bytes)), ""],
      ["memory of the process, MB", ...results.map((it) => megabytes(it.rssBytes)), ""],
    ],
    notes: [
      "Words are drawn by Zipf's law from 50,000. `node:sqlite` of a newer Node and, where a column says so, SQLite",
      "as WebAssembly on Node 20; one process a column.",
    ],
  };
}

function measureOne(node: string, folder: string, count: number): Omit<Measured, "sqlite"> {
  const words = ["--no-warnings", "--import", "tsx", join(import.meta.dirname, "brain-store.ts")];
  const { status, stdout, stderr } = spawnSync(node, [...words, folder, String(count)], {
    env: environment,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`brain-store of ${count} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

/** `own`: of the same size by `node:sqlite`, for one by WebAssembly. */
function relevance(
  { relevances, sqlite }: Measured,
  isTarget: boolean,
  own: Measured | undefined,
): string {
  const [p50, p99] = [0.5, 0.99].map((part) => quantile(cpuOf(relevances), part));
  if (p50 === undefined || p99 === undefined) return "";
  if (isTarget) return `${p50.toFixed(2)} / ${verdict(p99, p99 < relevanceMsMax)}`;
  if (sqlite === "own" || own === undefined) return cpu(relevances);
  const times = p50 / quantile(cpuOf(own.relevances), 0.5);
  return `${cpu(relevances)}, ${verdict(times, times <= wasmTimesMax)} times`;
}

function perSecond({ count, built }: Measured): string {
  return Math.round(count / (built.cpuMs / 1_000)).toLocaleString("en");
}

function wall(costs: readonly Cost[]): string {
  return both(costs.map(({ wallMs }) => wallMs));
}

function cpu(costs: readonly Cost[]): string {
  return both(cpuOf(costs));
}

function cpuOf(costs: readonly Cost[]): number[] {
  return costs.map(({ cpuMs }) => cpuMs);
}

function both(values: readonly number[]): string {
  return `${quantile(values, 0.5).toFixed(2)} / ${quantile(values, 0.99).toFixed(2)}`;
}

function seconds({ wallMs }: Cost): string {
  return (wallMs / 1_000).toFixed(2);
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
