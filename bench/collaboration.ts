import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  beginFolder,
  buildFolder,
  ownerWords,
  propose,
  writeReview,
} from "./build-collaboration.ts";
import {
  environment,
  median,
  nothing,
  runScript,
  type Section,
  script,
  timeRun,
  verdict,
} from "./measure.ts";

export interface CollaborationOptions {
  readonly folder: string;
  readonly rounds: number;
  readonly eventsCounts: readonly number[];
  /** The folder of the original's Python scripts, where somebody has it: it is measured beside ours. */
  readonly original: string | undefined;
}

/** Starts of `next-action` and `append-event` on logs of every size, each beside `node -e 0`. */
export function measureCollaboration(options: CollaborationOptions): Section {
  const { folder, rounds, eventsCounts } = options;
  const sizes = eventsCounts.map((count) => ({ count, at: join(folder, `events-${count}`) }));
  for (const { count, at } of sizes) buildFolder(at, count);
  const steps = sizes.flatMap(({ count, at }) => [
    {
      name: `next ${count}`,
      argv: script("next-action", "--folder", at, "--participant", "owner"),
    },
    { name: `append ${count}`, argv: script("append-event", ...ownerWords(at)) },
  ]);
  const all = [{ name: "nothing", argv: nothing }, ...steps];
  const took = new Map(all.map(({ name }): [string, number[]] => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    // Everybody comes behind everybody else in turn: what ran before leaves its mark.
    const order = [...all.slice(round % all.length), ...all.slice(0, round % all.length)];
    for (const { name, argv } of round % 2 === 0 ? order : order.reverse()) {
      const ms = timeRun(argv, folder);
      // The first round warms the caches.
      if (round > 0) took.get(name)?.push(ms);
    }
  }
  const bare = took.get("nothing") ?? [];
  const ratios = new Map(
    [...took].map(([name, times]): [string, number[]] => [
      name,
      times.map((ms, round) => ms / (bare[round] ?? Number.NaN)),
    ]),
  );
  return report(options, ratios, sizes);
}

function report(
  { folder, rounds, eventsCounts, original }: CollaborationOptions,
  ratios: Map<string, number[]>,
  sizes: { count: number; at: string }[],
): Section {
  const [least = 0] = eventsCounts;
  const rows = sizes.map(({ count, at }) => {
    const [next, append] = ["next", "append"].map((name) => {
      const own = ratios.get(`${name} ${count}`) ?? [];
      const small = ratios.get(`${name} ${least}`) ?? [];
      const growth = median(own.map((ratio, round) => ratio / (small[round] ?? Number.NaN)));
      return `${median(own).toFixed(2)} (${verdict(growth, growth <= 1.05)})`;
    });
    return [String(count), next ?? "", append ?? "", ...originalRow(original, at, folder, count)];
  });
  return {
    title: "Collaboration: wall time against `node -e 0`, by the length of the log",
    columns: ["events", "`next-action`", "`append-event`", "original next", "original append"],
    rows,
    notes: [
      `${rounds} rounds. In brackets: against the log of ${least} events, at most 1.05.`,
      original === undefined
        ? "The original was not measured: CONSULTA_ORIGINAL names no folder of its scripts."
        : "The original under Python, 3 runs; at a million events it was not run.",
    ],
  };
}

/** A log so long takes the original minutes. */
const originalEventsMax = 100_000;

function originalRow(
  scripts: string | undefined,
  at: string,
  folder: string,
  count: number,
): string[] {
  if (scripts === undefined || !existsSync(join(scripts, "next_action.py"))) return ["", ""];
  if (count > originalEventsMax) return ["-", "-"];
  const copy = join(folder, `original-${count}`);
  cpSync(at, copy, { recursive: true });
  const took = (name: string, words: readonly string[]) => {
    const runs = [1, 2, 3].map(() => {
      const bare = timeRun(nothing, folder);
      return timeRun([join(scripts, name), ...words], folder, { program: "python3" }) / bare;
    });
    return median(runs).toFixed(1);
  };
  return [
    took("next_action.py", ["--folder", copy, "--participant", "owner"]),
    took("append_event.py", ownerWords(copy)),
  ];
}

/** Reviewers that submit at the same instant, again and again; everything is counted afterwards. */
export async function measureReviewers(
  folder: string,
  roundsCount: number,
  reviewersCount: number,
): Promise<Section> {
  const begun = join(folder, "begun");
  const reviewers = beginFolder(begun, reviewersCount);
  propose(begun);
  const review = join(folder, "review.md");
  writeReview(review);
  const wrong = { refused: 0, phase: 0, invalid: 0 };
  const from = performance.now();
  for (let round = 0; round < roundsCount; round += 1) {
    const at = join(folder, "rounds", String(round));
    mkdirSync(join(at, ".."), { recursive: true });
    cpSync(begun, at, { recursive: true });
    const codes = await Promise.all(reviewers.map((name) => submit(at, name, review)));
    wrong.refused += codes.filter((code) => code !== 0).length;
    const next = JSON.parse(
      runScript("next-action", ["--folder", at, "--participant", "owner", "--json"]),
    );
    const { phase, seq } = next.standing;
    if (phase !== "revising" || seq !== reviewersCount + 2) wrong.phase += 1;
    const { status } = await run(script("validate", "--folder", at));
    if (status !== 0) wrong.invalid += 1;
  }
  const seconds = ((performance.now() - from) / 1_000).toFixed(0);
  return {
    title: `Reviewers: ${reviewersCount} submit at the same instant, ${roundsCount} rounds`,
    columns: ["what", "value", "target"],
    rows: [
      ["reviews refused or lost", verdict(wrong.refused, wrong.refused === 0, 0), "0"],
      ["rounds with a wrong phase or seq", verdict(wrong.phase, wrong.phase === 0, 0), "0"],
      ["rounds that do not validate", verdict(wrong.invalid, wrong.invalid === 0, 0), "0"],
    ],
    notes: [`Every review goes into review.md with its event. It took ${seconds} s.`],
  };
}

async function submit(at: string, name: string, review: string): Promise<number> {
  const event = ["--event", "review_submitted", "--reply-to", "2", "--summary", "A review"];
  const words = ["--folder", at, "--participant", name, ...event, "--review", review];
  return (await run(script("append-event", ...words))).status;
}

function run(argv: readonly string[]): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, { env: environment, stdio: "ignore" });
    child.on("error", reject);
    child.on("exit", (code) => resolve({ status: code ?? 1 }));
  });
}
