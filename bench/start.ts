import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { draftFor, sessionId, writerOf } from "./build-session.ts";
import {
  buildProject,
  median,
  nothing,
  quantile,
  type Section,
  script,
  timeRun,
  verdict,
} from "./measure.ts";

export interface StartOptions {
  readonly folder: string;
  readonly largeEventsCount: number;
  readonly rounds: number;
}

const smallEventsCount = 10;

/** One column of figures: what was run in every round. */
type Timed = "nothing" | "next small" | "next large" | "append small" | "append large";

/**
 * Starts of `next-action` and `append-event` on a small and a large log, each round beside one of
 * `node -e 0`. Every append is a new message. A small log is used once, the large one goes on.
 */
export function measureStart({ folder, largeEventsCount, rounds }: StartOptions): Section {
  const large = join(folder, "large");
  const small = join(folder, "small");
  const buildFrom = performance.now();
  buildProject(large, largeEventsCount);
  const buildSeconds = ((performance.now() - buildFrom) / 1_000).toFixed(0);
  buildProject(small, smallEventsCount);
  const took: Record<Timed, number[]> = {
    nothing: [],
    "next small": [],
    "next large": [],
    "append small": [],
    "append large": [],
  };
  // One round more than is counted: the first warms the caches.
  for (let round = 0; round <= rounds; round += 1) {
    const copy = join(folder, `small-${round}`);
    cpSync(small, copy, { recursive: true });
    const message = join(folder, "message.json");
    writeFileSync(message, JSON.stringify(draftFor(`extra ${round}`)));
    const steps: [Timed, () => number][] = [
      ["nothing", () => timeRun(nothing, folder)],
      ["next small", () => next(copy, smallEventsCount)],
      ["next large", () => next(large, largeEventsCount + round)],
      ["append small", () => append(copy, smallEventsCount, message)],
      ["append large", () => append(large, largeEventsCount + round, message)],
    ];
    for (const [name, run] of inTurn(steps, round)) {
      const tookMs = run();
      if (round > 0) took[name].push(tookMs);
    }
  }
  return report(took, largeEventsCount, [
    `${rounds} rounds; the log of ${largeEventsCount} events was built in ${buildSeconds} s.`,
    `A ratio is the median over the rounds of each run against \`node -e 0\` of the same round.`,
  ]);
}

/** Small before large in one round, large before small in the next. */
function inTurn<T>(steps: readonly T[], round: number): T[] {
  const [nothing, nextSmall, nextLarge, appendSmall, appendLarge] = steps;
  const order =
    round % 2 === 0
      ? [nothing, nextSmall, nextLarge, appendSmall, appendLarge]
      : [nextLarge, nextSmall, nothing, appendLarge, appendSmall];
  return order.filter((step) => step !== undefined);
}

/** The participant to whom the last message went asks what to do. */
function next(project: string, eventsCount: number): number {
  const participant = writerOf(eventsCount + 1);
  const words = ["--session", sessionId, "--participant", participant];
  return timeRun(script("next-action", ...words), project);
}

function append(project: string, eventsCount: number, message: string): number {
  const participant = writerOf(eventsCount + 1);
  const words = ["--session", sessionId, "--participant", participant, "--message", message];
  return timeRun(script("append-event", ...words), project);
}

function report(took: Record<Timed, number[]>, events: number, notes: string[]): Section {
  const ratio = (name: Timed, to: Timed) =>
    median(took[name].map((ms, round) => ms / (took[to][round] ?? Number.NaN)));
  const row = (name: Timed, limit: number, to: Timed) => [
    `${median(took[name]).toFixed(1)}`,
    `${quantile(took[name], 0.9).toFixed(1)}`,
    verdict(ratio(name, to), ratio(name, to) <= limit),
    String(limit),
  ];
  const grown = (name: string, large: Timed, small: Timed) => [
    name,
    "",
    "",
    verdict(ratio(large, small), ratio(large, small) <= 1.05),
    "1.05",
  ];
  return {
    title: "Start: wall time against `node -e 0`",
    columns: ["what", "median ms", "p90 ms", "ratio", "at most"],
    rows: [
      [
        "`node -e 0`",
        median(took.nothing).toFixed(1),
        quantile(took.nothing, 0.9).toFixed(1),
        "1",
        "",
      ],
      ["`next-action`, 10 events", ...row("next small", 1.3, "nothing")],
      [`\`next-action\`, ${events} events`, ...row("next large", 1.3, "nothing")],
      ["`append-event`, 10 events", ...row("append small", 1.35, "nothing")],
      [`\`append-event\`, ${events} events`, ...row("append large", 1.35, "nothing")],
      grown("`next-action`: large log against small", "next large", "next small"),
      grown("`append-event`: large log against small", "append large", "append small"),
    ],
    notes,
  };
}
