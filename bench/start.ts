import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../scripts-src/base/json.ts";
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
import { ownHome } from "./own-home.ts";

export interface StartOptions {
  readonly folder: string;
  readonly largeEventsCount: number;
  readonly rounds: number;
}

const smallEventsCount = 10;
/** Of a start, to `node -e 0`; and of a start with the large log, to one with the small log. */
const atMost = 1.7;
const grownAtMost = 1.1;

/** One column of figures: what was run in every round. */
type Timed =
  | "nothing"
  | "next usual"
  | "append usual"
  | "next small"
  | "append small"
  | "next large"
  | "append large";

/**
 * Starts of `next-action` and `append-event` on a small and a large log, each round beside one of
 * `node -e 0`. Every append is a new message. A small log is used once, the large one goes on. So many
 * rounds need the user's own `limits`, which each start then reads: the small log is measured under
 * them too, and without, as usual.
 */
export function measureStart({ folder, largeEventsCount, rounds }: StartOptions): Section {
  const large = join(folder, "large");
  const small = join(folder, "small");
  const defaultHome = join(folder, "home");
  const buildFrom = performance.now();
  buildProject(large, largeEventsCount);
  const buildSeconds = ((performance.now() - buildFrom) / 1_000).toFixed(0);
  buildProject(small, smallEventsCount);
  // With the key of the other home, whose sessions are believed here then.
  cpSync(ownHome, defaultHome, { recursive: true });
  rmSync(join(defaultHome, ".consulta", "config.yaml"));
  const took: Record<Timed, number[]> = {
    nothing: [],
    "next usual": [],
    "append usual": [],
    "next small": [],
    "append small": [],
    "next large": [],
    "append large": [],
  };
  // More rounds than are counted: the first ones warm the caches.
  for (let round = -3; round < rounds; round += 1) {
    const [usual, copy] = [join(folder, `usual-${round}`), join(folder, `small-${round}`)];
    const message = join(folder, "message.json");
    writeFileSync(message, JSON.stringify(progressing(`extra ${round}`)));
    for (const project of [usual, copy]) cpSync(small, project, { recursive: true });
    // A round without progress would bring the session nearer to its end.
    for (const project of [usual, copy, large])
      writeFileSync(join(project, artifact), `${round}\n`);
    const largeCount = largeEventsCount + round + 3;
    const steps: [Timed, () => number][] = [
      ["nothing", () => timeRun(nothing, folder)],
      ["next usual", () => next(usual, smallEventsCount, defaultHome)],
      ["next small", () => next(copy, smallEventsCount)],
      ["next large", () => next(large, largeCount)],
      ["append usual", () => append(usual, smallEventsCount, message, defaultHome)],
      ["append small", () => append(copy, smallEventsCount, message)],
      ["append large", () => append(large, largeCount, message)],
    ];
    // An action is asked for before the answer to it; apart from that the order changes.
    const inTurn =
      round % 2 === 0 ? steps : [...steps.slice(0, 4).reverse(), ...steps.slice(4).reverse()];
    for (const [name, run] of inTurn) {
      const tookMs = run();
      if (round >= 0) took[name].push(tookMs);
    }
    for (const project of [usual, copy]) rmSync(project, { recursive: true });
  }
  return report(took, largeEventsCount, [
    `${rounds} rounds; the log of ${largeEventsCount} events was built in ${buildSeconds} s.`,
    `A ratio is the median over the rounds of each run against \`node -e 0\` of the same round.`,
    "Each next-action takes a new message; each append-event stores one and syncs it.",
    "More rounds than the default need `limits` in the user's own settings, which each start then reads.",
  ]);
}

const artifact = "measured.txt";

/** A message that names what has changed since the last one. */
function progressing(name: string): JsonObject {
  return { ...draftFor(name), progress: [{ kind: "artifact", path: artifact }] };
}

/** The participant to whom the last message went asks what to do. */
function next(project: string, eventsCount: number, home?: string): number {
  const participant = writerOf(eventsCount + 1);
  const words = ["--session", sessionId, "--participant", participant];
  return timeRun(script("next-action", ...words), project, { home });
}

function append(project: string, eventsCount: number, message: string, home?: string): number {
  const participant = writerOf(eventsCount + 1);
  const words = ["--session", sessionId, "--participant", participant, "--message", message];
  return timeRun(script("append-event", ...words), project, { home });
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
    verdict(ratio(large, small), ratio(large, small) <= grownAtMost),
    String(grownAtMost),
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
      ["`next-action`, 10 events", ...row("next usual", atMost, "nothing")],
      ["the same with `limits`", ...row("next small", atMost, "nothing")],
      [`\`next-action\`, ${events} events`, ...row("next large", atMost, "nothing")],
      ["`append-event`, 10 events", ...row("append usual", atMost, "nothing")],
      ["the same with `limits`", ...row("append small", atMost, "nothing")],
      [`\`append-event\`, ${events} events`, ...row("append large", atMost, "nothing")],
      grown("`next-action`: large log against small", "next large", "next small"),
      grown("`append-event`: large log against small", "append large", "append small"),
    ],
    notes,
  };
}
