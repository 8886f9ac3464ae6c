import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

/** Two scripts then go on in it, as in any session, and make it 10: what a fresh one lacks is there. */
const builtEventsCount = 8;
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
  buildProject(small, builtEventsCount);
  // With the key of the other home, whose sessions are believed here then.
  cpSync(ownHome, defaultHome, { recursive: true });
  rmSync(join(defaultHome, ".consulta", "config.yaml"));
  writeMessage("first", small);
  next(small, writerOf(builtEventsCount + 1), defaultHome);
  append(small, writerOf(builtEventsCount + 1), defaultHome);
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
    for (const project of [usual, copy]) cpSync(small, project, { recursive: true });
    writeMessage(`extra ${round}`, usual, copy, large);
    const one = writerOf(builtEventsCount + 2);
    const other = writerOf(largeEventsCount + round + 4);
    const steps: [Timed, () => number][] = [
      ["nothing", () => timeRun(nothing, folder)],
      ["next usual", () => next(usual, one, defaultHome)],
      ["next small", () => next(copy, one)],
      ["next large", () => next(large, other)],
      ["append usual", () => append(usual, one, defaultHome)],
      ["append small", () => append(copy, one)],
      ["append large", () => append(large, other)],
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
    "The small session is one in use, as a user has it: two scripts went on in it before, so its state is kept",
    "and its folders are there, and each message lies where agents write theirs.",
    "More rounds than the default need `limits` in the user's own settings, which each start then reads.",
  ]);
}

const artifact = "measured.txt";
const draft = join(".consulta", "drafts", "message.json");

/** A message where agents write theirs, in each project, and the progress that it names. */
function writeMessage(name: string, ...projects: string[]): void {
  for (const project of projects) {
    mkdirSync(dirname(join(project, draft)), { recursive: true, mode: 0o700 });
    writeFileSync(join(project, draft), JSON.stringify(progressing(name)));
    // A round without progress would bring the session nearer to its end.
    writeFileSync(join(project, artifact), `${name}\n`);
  }
}

/** A message that names what has changed since the last one. */
function progressing(name: string): JsonObject {
  return { ...draftFor(name), progress: [{ kind: "artifact", path: artifact }] };
}

/** The participant to whom the last message went asks what to do. */
function next(project: string, participant: string, home?: string): number {
  const words = ["--session", sessionId, "--participant", participant];
  return timeRun(script("next-action", ...words), project, { home });
}

function append(project: string, participant: string, home?: string): number {
  const words = ["--session", sessionId, "--participant", participant, "--message", draft];
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
