import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hooksOf } from "../scripts-src/clis/hook-entries.ts";
import { nodesBySqlite } from "../test/other-node.ts";
import { environment, quantile, type Section, scriptsFolder } from "./measure.ts";

export interface HooksOptions {
  readonly folder: string;
  readonly rounds: number;
  /** The scripts of another build, such as one from before there was a bell, to be compared with. */
  readonly other: string | undefined;
}

/** What a hook may cost where it has nothing to tell, and where it has, as a share of the other build's. */
const idleShareMax = 0.05;
const busyShareMax = 1.1;

type Place = "no workspace" | "nothing open" | "a session open" | "a brain that runs";

/** What happens in a CLI, where, and what its hook has to tell. */
interface Case {
  readonly event: "SessionStart" | "UserPromptSubmit" | "PostToolUse" | "AfterTool" | "Stop";
  readonly place: Place;
  readonly tells?: "the turn" | "news of the brain";
}

const cases: readonly Case[] = [
  { event: "PostToolUse", place: "no workspace" },
  { event: "PostToolUse", place: "nothing open" },
  { event: "PostToolUse", place: "a session open" },
  { event: "PostToolUse", place: "a brain that runs" },
  { event: "AfterTool", place: "a session open" },
  { event: "UserPromptSubmit", place: "nothing open" },
  { event: "UserPromptSubmit", place: "a session open" },
  { event: "Stop", place: "no workspace" },
  { event: "Stop", place: "nothing open" },
  { event: "SessionStart", place: "a session open", tells: "the turn" },
  { event: "UserPromptSubmit", place: "a session open", tells: "the turn" },
  { event: "PostToolUse", place: "a brain that runs", tells: "news of the brain" },
];

const fields = {
  SessionStart: { source: "startup" },
  UserPromptSubmit: { prompt: "where do the staging deployments of the billing gateway run?" },
  PostToolUse: { tool_name: "Bash", tool_input: {}, tool_response: {} },
  AfterTool: { tool_name: "run_shell_command", tool_input: {}, tool_response: {} },
  Stop: { last_assistant_message: "They run through make ship." },
};

interface Took {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/**
 * The hook of each event as its CLI runs it, a shell with the command that `install` writes, beside the other build's
 * and `node -e 0` in the same rounds.
 */
export async function measureHooks({ folder, rounds, other }: HooksOptions): Promise<Section> {
  // A build of before knows no SQLite but this one.
  const { own } = await nodesBySqlite();
  const builds = [new Build(join(folder, "this"), scriptsFolder, own)];
  if (other !== undefined) builds.unshift(new Build(join(folder, "other"), other, own));
  const took = new Map<string, Took[]>();
  const note = (name: string, it: Took) => took.set(name, [...(took.get(name) ?? []), it]);
  try {
    for (const build of builds) await build.furnish();
    for (let round = -2; round < rounds; round += 1) {
      for (const [index, build] of builds.entries())
        for (const it of cases) note(`${index} ${nameOf(it)}`, await build.fire(it, round));
      for (const program of [process.execPath, own])
        note(program, timed(program, ["-e", "0"], folder, {}));
    }
  } finally {
    for (const build of builds) build.end();
  }
  const of = (name: string) => (took.get(name) ?? []).slice(2);
  const [idle, busy] = [idleShareMax, busyShareMax].map((shareMax) =>
    cases
      .filter((it) => (it.tells === undefined) === shareMax < 1)
      .map((it) =>
        rowOf(
          it,
          builds.map((_, index) => of(`${index} ${nameOf(it)}`)),
          shareMax,
        ),
      ),
  );
  const columns = ["event", "where", "what it tells"];
  columns.push(...(builds.length === 1 ? ["ms"] : ["other build, ms", "this build, ms", "share"]));
  return {
    title: "Hooks: wall / CPU",
    columns,
    rows: [...(idle ?? []), ...(busy ?? [])],
    notes: [
      `${rounds} rounds, medians, shell and Node together. \`node -e 0\`: ${shown(of(process.execPath))};`,
      `of the Node with SQLite, which runs the hooks beside a brain: ${shown(of(own))}. A hook with nothing`,
      `to tell may cost ${idleShareMax} of one before there was a bell, one with something ${busyShareMax}.`,
    ],
  };
}

function nameOf({ event, place, tells }: Case): string {
  return [event, place, tells ?? ""].join(" ");
}

function rowOf(
  { event, place, tells }: Case,
  took: readonly (readonly Took[])[],
  shareMax: number,
): string[] {
  const [before = [], now] = took;
  const cells = [event, place, tells ?? "nothing", ...took.map(shown)];
  if (now === undefined) return cells;
  const shares = (["wallMs", "cpuMs"] as const).map((what) => half(now, what) / half(before, what));
  const isGood = shares.every((share) => share <= shareMax);
  const share = shares.map((it) => it.toFixed(3)).join(" / ");
  return [...cells, `${share} ${isGood ? "ok" : "**missed**"}`];
}

function half(took: readonly Took[], what: keyof Took): number {
  return quantile(
    took.map((it) => it[what]),
    0.5,
  );
}

function shown(took: readonly Took[]): string {
  return `${half(took, "wallMs").toFixed(1)} / ${half(took, "cpuMs").toFixed(1)}`;
}

/** A build with projects of its own, in which its hooks run. */
class Build {
  readonly #folder: string;
  readonly #scripts: string;
  readonly #brainNode: string;
  #brain: ChildProcess | undefined;

  constructor(folder: string, scripts: string, brainNode: string) {
    this.#folder = folder;
    this.#scripts = scripts;
    this.#brainNode = brainNode;
  }

  async furnish(): Promise<void> {
    for (const place of new Set(cases.map((it) => it.place))) {
      for (const name of ["home", "project", "bin"])
        mkdirSync(join(this.#folder, place, name), { recursive: true });
      const node = place === "a brain that runs" ? this.#brainNode : process.execPath;
      symlinkSync(node, join(this.#folder, place, "bin", "node"));
      if (place === "no workspace") continue;
      const root = join(this.#folder, place, "project", ".consulta");
      mkdirSync(join(root, "sessions"), { recursive: true });
      const config = JSON.stringify({ brain: place === "a brain that runs" });
      writeFileSync(join(root, "config.json"), config);
    }
    const about = ["--topic", "SQLite or files?", "--session", "talk"];
    this.#run(
      "a session open",
      "init",
      ...about,
      "--participant",
      "claude",
      "--participant",
      "gemini",
    );
    this.#run("a session open", "next-action", "--session", "talk", "--participant", "claude");
    const place = "a brain that runs";
    this.#brain = spawn(this.#brainNode, [join(this.#scripts, "brain.cjs"), "serve"], {
      ...this.#where(place),
      stdio: "ignore",
    });
    const endpoint = join(this.#folder, place, "project/.consulta/brain/endpoint.json");
    while (!existsSync(endpoint)) await sleep(50);
  }

  /** Fires an event so that its hook has to tell just what the case says. */
  async fire(it: Case, round: number): Promise<Took> {
    const { place, tells } = it;
    if (tells === "the turn") for (const name of ["hook.json", "bell"]) this.#forget(place, name);
    if (tells === "news of the brain") this.#run(place, "brain", "event", "The build is red.");
    const first = this.#fireOnce(it, round);
    if (tells !== undefined) return first;
    // The hook looked at what had just been written, perhaps; what is measured comes a while later.
    if (round < 0) {
      await sleep(1_200);
      this.#fireOnce(it, round);
    }
    return this.#fireOnce(it, round);
  }

  end(): void {
    this.#brain?.kill();
  }

  #fireOnce({ event, place }: Case, round: number): Took {
    const { cwd, env } = this.#where(place);
    const cli = event === "AfterTool" ? "gemini" : "claude";
    const [group] = hooksOf(cli, this.#scripts)[event] ?? [];
    const { command, env: own = {} } = Object(group?.hooks[0]);
    const line = existsSync(join(this.#scripts, "bell.sh")) ? command : this.#formerCommand(cli);
    const transcript = join(this.#folder, "transcript.jsonl");
    writeFileSync(transcript, transcriptText);
    const about = { session_id: `s${round}`, transcript_path: transcript, cwd };
    const input = JSON.stringify({ hook_event_name: event, ...about, ...fields[event] });
    const shell = cli === "gemini" ? "/bin/bash" : "/bin/sh";
    return timed(shell, ["-c", line], cwd, { ...env, ...own, BELL: String(process.pid) }, input);
  }

  /** What builds without a bell had. */
  #formerCommand(cli: "claude" | "gemini"): string {
    const hook = join(this.#scripts, "hook.cjs");
    if (cli === "gemini") return `exec 2>/dev/null; trap "exit 0" EXIT; node "${hook}" gemini`;
    return `hook="${hook}"; [ -f "$hook" ] && command -v node >/dev/null && exec node "$hook" claude; exit 0`;
  }

  #forget(place: Place, name: string): void {
    const seats = join(this.#folder, place, "home/.consulta/seats");
    rmSync(join(seats, `${process.pid}.${name}`), { force: true });
  }

  #run(place: Place, name: string, ...words: string[]): void {
    const { cwd, env } = this.#where(place);
    const node = join(this.#folder, place, "bin", "node");
    const ran = spawnSync(node, [join(this.#scripts, `${name}.cjs`), ...words], {
      cwd,
      env,
      encoding: "utf8",
    });
    if (ran.status !== 0) throw new Error(`${name}: ${ran.stderr}`);
  }

  #where(place: Place) {
    const [cwd, home] = ["project", "home"].map((name) => join(this.#folder, place, name));
    const PATH = `${join(this.#folder, place, "bin")}:${process.env["PATH"]}`;
    const env = {
      ...environment,
      HOME: home,
      PATH,
      CLAUDECODE: "1",
      CLAUDE_PID: String(process.pid),
    };
    return { cwd: cwd ?? "", env: { ...env, CLAUDE_PROJECT_DIR: cwd, GEMINI_PROJECT_DIR: cwd } };
  }
}

/** An answer, and behind it as much as Claude Code may write there. */
const transcriptText = [
  { type: "assistant", message: { model: "claude-sonnet-4-6", usage: { input_tokens: 20_000 } } },
  { type: "api-request-blob", data: "x".repeat(118_000) },
]
  .map((record) => `${JSON.stringify(record)}\n`)
  .join("");

/** Runs a program to its end; the times are those that bash takes of it. */
function timed(
  program: string,
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  input = "",
): Took {
  // Gemini CLI's hooks go by the process above them, which is this bash: it is given the bell of the one above it.
  const seats = "$HOME/.consulta/seats";
  const handOn = `[ -z "$BELL" ] || cp -p "${seats}/$BELL.bell" "${seats}/$$.bell" 2>/dev/null`;
  const line = `${handOn}; TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>&1`;
  const stderr = ranBash([line, "bash", program, ...words], cwd, env, input);
  const [wall = 0, user = 0, system = 0] = stderr.split(" ").map(Number);
  return { wallMs: wall * 1_000, cpuMs: (user + system) * 1_000 };
}

function ranBash(words: string[], cwd: string, env: NodeJS.ProcessEnv, input: string): string {
  const options = { cwd, input, encoding: "utf8", env: { ...environment, ...env } } as const;
  const { status, stderr } = spawnSync("bash", ["-c", ...words], options);
  if (status === 0) return stderr;
  throw new Error(`${words.join(" ")}: ${status} ${stderr}`);
}
