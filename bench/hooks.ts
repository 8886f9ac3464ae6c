import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findBrainNode } from "../test/brain/brain-node.ts";
import { environment, nothing, quantile, type Section, script, verdict } from "./measure.ts";

export interface HooksOptions {
  readonly folder: string;
  readonly rounds: number;
}

/** The most CPU that a hook may cost over `node -e 0` where nobody listens. */
const idleMsMax = 10;

const events = {
  SessionStart: { source: "startup" },
  UserPromptSubmit: { prompt: "where do the staging deployments of the billing gateway run?" },
  PostToolUse: { tool_name: "Bash", tool_input: {}, tool_response: {} },
  Stop: { last_assistant_message: "They run through make ship." },
  SessionEnd: { reason: "other" },
};

/** Each with a workspace of its own, or none. */
const places = ["no workspace", "brain off", "none runs", "one runs"] as const;
type Place = (typeof places)[number];

/** CPU of each event of Claude Code over that of `node -e 0`, in the same rounds. */
export async function measureHooks({ folder, rounds }: HooksOptions): Promise<Section> {
  const home = join(folder, "home");
  mkdirSync(home);
  for (const place of places) furnish(join(folder, place), place);
  const brain = await serve(join(folder, "one runs"), home);
  const took = new Map<string, number[]>();
  try {
    // Two rounds more than are counted: the first ones warm the caches.
    for (let round = -2; round < rounds; round += 1) {
      for (const [name, ms] of measureRound(folder, home, round)) {
        if (round >= 0) took.set(name, [...(took.get(name) ?? []), ms]);
      }
    }
  } finally {
    brain.kill();
  }
  return report(took, rounds);
}

function furnish(project: string, place: Place): void {
  mkdirSync(project);
  if (place === "no workspace") return;
  const root = join(project, ".consulta");
  mkdirSync(join(root, "sessions"), { recursive: true });
  writeFileSync(join(root, "config.json"), JSON.stringify({ brain: place !== "brain off" }));
  if (place !== "none runs") return;
  // A Node that could start one does not: this is about hooks.
  mkdirSync(join(root, "brain"));
  writeFileSync(join(root, "brain", "started-in-vain"), "");
}

async function serve(project: string, home: string) {
  const node = await findBrainNode();
  if ("missing" in node) throw new Error(node.missing);
  const env = { ...environment, HOME: home };
  const brain = spawn(node.path, script("brain", "serve", "--workspace", project), {
    env,
    stdio: "ignore",
  });
  while (!existsSync(join(project, ".consulta", "brain", "endpoint.json"))) await sleep(50);
  return brain;
}

function* measureRound(folder: string, home: string, round: number): Generator<[string, number]> {
  yield ["nothing", cpuOf(nothing, folder, home, "")];
  for (const [event, fields] of Object.entries(events)) {
    for (const place of places) {
      const cwd = join(folder, place);
      const transcript = join(folder, "transcript.jsonl");
      writeFileSync(transcript, transcriptText);
      const about = { session_id: `s${round}`, transcript_path: transcript, cwd };
      const input = JSON.stringify({ hook_event_name: event, ...about, ...fields });
      yield [`${event} ${place}`, cpuOf(script("hook", "claude"), cwd, home, input)];
    }
  }
}

/** An answer, and behind it as much as Claude Code may write there. */
const transcriptText = [
  { type: "assistant", message: { model: "claude-sonnet-4-6", usage: { input_tokens: 20_000 } } },
  { type: "api-request-blob", data: "x".repeat(118_000) },
]
  .map((record) => `${JSON.stringify(record)}\n`)
  .join("");

/** Runs Node to its end; the milliseconds of CPU are those that bash counts for it. */
function cpuOf(argv: readonly string[], cwd: string, home: string, input: string): number {
  const line = 'TIMEFORMAT="%3U %3S"; time "$@"';
  const { status, stderr } = spawnSync("bash", ["-c", line, "bash", process.execPath, ...argv], {
    cwd,
    env: { ...environment, HOME: home, CLAUDECODE: "1", CLAUDE_PID: String(process.pid) },
    input,
    encoding: "utf8",
  });
  const times = /^([\d.]+) ([\d.]+)\n$/.exec(stderr);
  if (status !== 0 || times === null) throw new Error(`${argv.join(" ")}: ${status} ${stderr}`);
  return (Number(times[1]) + Number(times[2])) * 1_000;
}

function report(took: ReadonlyMap<string, number[]>, rounds: number): Section {
  const bare = quantile(took.get("nothing") ?? [], 0.5);
  const cell = (event: string, place: Place) => {
    const values = took.get(`${event} ${place}`) ?? [];
    const [half, most] = [0.5, 0.99].map((share) => quantile(values, share) - bare);
    const median = half ?? Number.NaN;
    const shown = place === "one runs" ? median.toFixed(1) : verdict(median, median < idleMsMax, 1);
    return `${shown} / ${most?.toFixed(1)}`;
  };
  return {
    title: "Hooks: CPU over `node -e 0`, ms p50 / p99",
    columns: ["event", ...places],
    rows: Object.keys(events).map((event) => [event, ...places.map((place) => cell(event, place))]),
    notes: [
      `${rounds} rounds; \`node -e 0\` took ${bare.toFixed(1)} ms. Where no brain runs, at most ${idleMsMax} ms more.`,
      "With one, the tool's context has room, so its hook asks nobody; the others wait for the answer.",
    ],
  };
}
