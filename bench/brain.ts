import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findBrainNode } from "../test/brain/brain-node.ts";
import { environment, quantile, type Section, verdict } from "./measure.ts";

export interface BrainOptions {
  readonly folder: string;
  /** How many memories; the last count is the one that the target is for. */
  readonly counts: readonly number[];
}

/** The most CPU that a prompt may cost in the largest brain. */
const relevanceMsMax = 60;

interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

interface Measured {
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

/** The store of the brain, in a process of its own for each size. */
export async function measureBrain({ folder, counts }: BrainOptions): Promise<Section> {
  const node = await findBrainNode();
  if ("missing" in node) throw new Error(`no Node with SQLite: ${node.missing}`);
  const results = counts.map((count) => measureOne(node.path, join(folder, `${count}`), count));
  const largest = results.at(-1)?.count;
  return {
    title: "Brain: memories of 60 words each, prompts of 10",
    columns: ["what", ...results.map(({ count }) => count.toLocaleString("en")), "target"],
    rows: [
      ["durable store, wall ms p50 / p99", ...results.map((it) => wall(it.stores)), ""],
      ["durable store, CPU ms p50 / p99", ...results.map((it) => cpu(it.stores)), ""],
      ["retrieve by key, CPU ms p50 / p99", ...results.map((it) => cpu(it.retrievals)), ""],
      [
        "what a prompt brings up, CPU ms p50 / p99",
        ...results.map((it) => relevance(it, it.count === largest)),
        `p99 under ${relevanceMsMax}`,
      ],
      ["search, CPU ms p50 / p99", ...results.map((it) => cpu(it.searches)), ""],
      ["loaded at once, a CPU second", ...results.map(perSecond), ""],
      ["forget one without a trace, wall s", ...results.map((it) => seconds(it.forgotten)), ""],
      ["on disk, MB", ...results.map((it) => megabytes(it.bytes)), ""],
      ["memory of the process, MB", ...results.map((it) => megabytes(it.rssBytes)), ""],
    ],
    notes: ["Words are drawn by Zipf's law from 50,000. Node with SQLite, one process a column."],
  };
}

function measureOne(node: string, folder: string, count: number): Measured {
  const words = ["--no-warnings", "--import", "tsx", join(import.meta.dirname, "brain-store.ts")];
  const { status, stdout, stderr } = spawnSync(node, [...words, folder, String(count)], {
    env: environment,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`brain-store of ${count} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

function relevance({ relevances }: Measured, isTarget: boolean): string {
  const p99 = quantile(cpuOf(relevances), 0.99);
  if (!isTarget) return cpu(relevances);
  return `${quantile(cpuOf(relevances), 0.5).toFixed(2)} / ${verdict(p99, p99 < relevanceMsMax)}`;
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
