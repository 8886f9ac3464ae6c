import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { draftFor, participants, sessionId, writerOf } from "./build-session.ts";
import { environment, nothing, quantile, type Section, scriptsFolder, verdict } from "./measure.ts";

export interface StartCostOptions {
  readonly folder: string;
  /** The commit whose scripts are measured beside those of now. */
  readonly old: string;
  readonly rounds: number;
  /** What the CPU of now may be of the old. */
  readonly ratioMax: number;
}

const eventsCount = 10;
const repository = join(import.meta.dirname, "..");
const draft = ".consulta/drafts/next.json";

/** The scripts of one build, a session that they made, and a home for their caches. */
interface Build {
  readonly scripts: string;
  readonly project: string;
  readonly home: string;
}

/** CPU of starts of the scripts of an old commit and of now, in turn, each with a session of its own. */
export function measureStartCost({ folder, old, rounds, ratioMax }: StartCostOptions): Section {
  const builds = {
    old: furnish(join(folder, "old"), checkOut(old, join(folder, "old-pack"))),
    now: furnish(join(folder, "now"), scriptsFolder),
  };
  const took = new Map<string, number[]>();
  const note = (name: string, ms: number) => took.set(name, [...(took.get(name) ?? []), ms]);
  // Four rounds more than are counted: the first ones warm the caches.
  for (let round = -4; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (["old", "now"] as const) : (["now", "old"] as const);
    for (const name of order) {
      for (const [what, ms] of measureRound(builds[name]))
        if (round >= 0) note(`${what} ${name}`, ms);
    }
  }
  return {
    title: `Start: CPU in ms p50, ${old} against now`,
    columns: ["what", "old", "now", "ratio", "at most"],
    rows: ["node -e 0", "next-action", "append-event", "wait-for-turn", "status"].map((what) => {
      const [before = [], after = []] = ["old", "now"].map((it) => took.get(`${what} ${it}`));
      const ratio = quantile(
        after.map((ms, at) => ms / (before[at] ?? Number.NaN)),
        0.5,
      );
      const medians = [before, after].map((it) => quantile(it, 0.5).toFixed(1));
      return [`\`${what}\``, ...medians, verdict(ratio, ratio <= ratioMax), String(ratioMax)];
    }),
    notes: [`${rounds} rounds, the builds in turn; a dialogue of ${eventsCount} events.`],
  };
}

function checkOut(commit: string, folder: string): string {
  mkdirSync(folder);
  const line = 'git archive "$1" dist | tar -x -C "$2"';
  const words = ["-c", line, "bash", commit, folder];
  const { status, stderr } = spawnSync("bash", words, { cwd: repository, encoding: "utf8" });
  if (status === 0) return join(folder, "dist");
  throw new Error(`git has no scripts at ${commit}: ${stderr}`);
}

/** A project with a session of ten events, as these scripts leave it, and the draft of one more. */
function furnish(folder: string, scripts: string): Build {
  const build = { scripts, project: join(folder, "project"), home: join(folder, "home") };
  for (const path of [build.project, build.home]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const names = participants.flatMap((name) => ["--participant", name]);
  const about = ["--topic", "How fast is the log?", "--mode", "parallelo", "--session", sessionId];
  cpuOf(build, build.project, ["init", ...about, ...names]);
  mkdirSync(join(build.project, ".consulta", "drafts"), { recursive: true, mode: 0o700 });
  for (let seq = 2; seq <= eventsCount + 1; seq += 1) {
    const type = seq === 2 ? "REQUEST" : "RESPONSE";
    const message = { ...draftFor(String(seq)), type };
    writeFileSync(join(build.project, draft), JSON.stringify(message));
    if (seq <= eventsCount) cpuOf(build, build.project, append(seq));
  }
  return build;
}

function append(seq: number): string[] {
  return ["append-event", ...who(writerOf(seq)), "--message", draft];
}

function who(participant: string): string[] {
  return ["--session", sessionId, "--participant", participant];
}

function* measureRound(build: Build): Generator<[string, number]> {
  const { project } = build;
  const next = writerOf(eventsCount + 1);
  yield ["node -e 0", cpuOf(build, project, nothing)];
  yield ["next-action", cpuOf(build, project, ["next-action", ...who(next)])];
  yield ["wait-for-turn", cpuOf(build, project, ["wait-for-turn", ...who(next)])];
  yield ["status", cpuOf(build, project, ["status"])];
  const copy = `${project}-copy`;
  cpSync(project, copy, { recursive: true });
  yield ["append-event", cpuOf(build, copy, append(eventsCount + 1))];
  rmSync(copy, { recursive: true });
}

/** Runs Node to its end, with a script unless the first word is an option; bash counts its CPU. */
function cpuOf({ scripts, home }: Build, cwd: string, words: readonly string[]): number {
  const [first = "", ...rest] = words;
  const argv = first.startsWith("-") ? words : [join(scripts, `${first}.cjs`), ...rest];
  const line = 'TIMEFORMAT="cpu %3U %3S"; time "$@"';
  const { status, stderr } = spawnSync("bash", ["-c", line, "bash", process.execPath, ...argv], {
    cwd,
    env: {
      ...environment,
      HOME: home,
      XDG_CACHE_HOME: join(home, ".cache"),
      CLAUDECODE: undefined,
    },
    encoding: "utf8",
  });
  const times = /^cpu ([\d.]+) ([\d.]+)$/m.exec(stderr);
  if (status !== 0 || times === null) throw new Error(`${argv.join(" ")}: ${status} ${stderr}`);
  return (Number(times[1]) + Number(times[2])) * 1_000;
}
