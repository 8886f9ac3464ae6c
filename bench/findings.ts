import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { post } from "../scripts-src/findings/agent-acts.ts";
import { systemClock } from "../scripts-src/script/clock.ts";
import { placeAt } from "../scripts-src/session/place.ts";
import {
  environment,
  median,
  nothing,
  quantile,
  runScript,
  type Section,
  script,
  timeRun,
  verdict,
} from "./measure.ts";

/** How many agents share a board, and how many reports each posts. */
export interface Crowd {
  readonly folder: string;
  readonly rounds: number;
  readonly agents: number;
  readonly reports: number;
}

function report(title: string, directory: string): string {
  return [
    `# ${title}`,
    `## Working Directories\n- \`${directory}\` -- the project`,
    "## Files Modified\n- none",
    "## Files Investigated (not modified)\n- `src/login.ts` -- where it waits",
    "## Summary\nThe login waits for a timer, see `src/login.ts:3`; the clock is the cause.\n",
  ].join("\n\n");
}

function project(folder: string): string {
  mkdirSync(join(folder, "src"), { recursive: true });
  const lines = Array.from({ length: 40 }, (_, line) => `line ${line + 1}\n`);
  writeFileSync(join(folder, "src", "login.ts"), lines.join(""));
  return folder;
}

/** All agents register at the same instant, post and get ready; then everybody reads. */
export async function measureCrowd({ folder, rounds, agents, reports }: Crowd): Promise<Section> {
  const names = agentNames(agents);
  const text = join(folder, "report.md");
  writeFileSync(text, report("The clock", project(join(folder, "project"))));
  const wrong = { refused: 0, registered: 0, numbers: 0, deadlines: 0, incomplete: 0, invalid: 0 };
  const from = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    const board = join(folder, `board-${round}`);
    runScript("init", [board, String(agents), "600"]);
    const codes = await Promise.all(names.map((name) => takePart(board, name, text, reports)));
    wrong.refused += codes.flat().filter((code) => code !== 0).length;
    const listed = readFileSync(join(board, "agents.md"), "utf8").match(/^- /gm) ?? [];
    if (listed.length !== agents) wrong.registered += 1;
    const deadlines = readFileSync(join(board, "meta.md"), "utf8").match(/deadline/g) ?? [];
    if (deadlines.length !== 1) wrong.deadlines += 1;
    wrong.numbers += names.filter((name) => !hasNumbers(board, name, reports)).length;
    wrong.incomplete += names.filter(
      (name) => readBy(board, name) !== (agents - 1) * reports,
    ).length;
    const { status } = spawnSync(process.execPath, script("validate", "--folder", board));
    if (status !== 0) wrong.invalid += 1;
  }
  const seconds = ((performance.now() - from) / 1_000).toFixed(0);
  const row = (what: string, count: number) => [what, verdict(count, count === 0, 0), "0"];
  return {
    title: `Findings: ${agents} agents register, post ${reports} reports and get ready at once, ${rounds} rounds`,
    columns: ["what", "value", "target"],
    rows: [
      row("commands refused", wrong.refused),
      row("rounds with a registration lost or doubled", wrong.registered),
      row("agents with a number missing or used twice", wrong.numbers),
      row("rounds without exactly one deadline", wrong.deadlines),
      row("agents that `read-all` did not give everything", wrong.incomplete),
      row("rounds that do not validate", wrong.invalid),
    ],
    notes: [`Every command is a process of its own. It took ${seconds} s.`],
  };
}

function agentNames(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `agent-${number + 1}`);
}

async function takePart(board: string, name: string, text: string, reports: number) {
  const codes = [await run("register", board, name)];
  for (let number = 1; number <= reports; number += 1) {
    codes.push(await run("post", board, name, `Topic ${number}`, "--file", text));
  }
  return [...codes, await run("ready", board, name, "--strict")];
}

async function run(name: string, ...words: string[]): Promise<number> {
  const child = spawn(process.execPath, script(name, ...words), {
    env: environment,
    stdio: "ignore",
  });
  const [code] = await once(child, "exit");
  return code ?? 1;
}

function hasNumbers(board: string, name: string, reports: number): boolean {
  const files = readdirSync(join(board, "findings", name)).filter((file) => file.endsWith(".md"));
  const numbers = new Set(files.map((file) => Number(file.slice(0, 2))));
  return files.length === reports && numbers.size === reports && Math.max(...numbers) === reports;
}

function readBy(board: string, name: string): number {
  const pool = JSON.parse(runScript("read-all", [board, name, "--json"]));
  const whole = pool.findings.filter(({ text }: { text?: string }) =>
    text?.includes("# The clock"),
  );
  return whole.length;
}

/** All agents but one wait; then the last gets ready. */
export async function measureBoardWake(
  folder: string,
  { agents, rounds, idleSeconds }: { agents: number; rounds: number; idleSeconds: number },
): Promise<Section> {
  const exits: number[] = [];
  let idleMs = Number.NaN;
  for (let round = 0; round <= rounds; round += 1) {
    const board = join(folder, `waiting-${round}`);
    const [last = "", ...others] = await waitingBoard(board, agents);
    const waiters = others.map((name) => startWaiting(board, name));
    while (
      readdirSync(join(board, ".presence")).filter((it) => it.endsWith(".ready")).length <
      others.length
    ) {
      await sleep(20);
    }
    await sleep(500);
    // The first round warms the caches, and shows what waiting costs.
    if (round === 0)
      idleMs = await cpuWhileIdle(
        waiters.map(({ child }) => child),
        idleSeconds,
      );
    await run("ready", board, last);
    const at = statSync(join(board, "findings", last, ".ready")).mtimeMs;
    const ended = await Promise.all(waiters.map(({ exit }) => exit));
    if (round > 0) exits.push(...ended.map((it) => it - at));
  }
  return {
    title: `Findings: ${agents - 1} agents wait in \`poll --wait\` for the last one`,
    columns: ["what", "value"],
    rows: [
      ["from the mark `.ready` to a waiter's exit, p50 ms", quantile(exits, 0.5).toFixed(0)],
      ["from the mark `.ready` to a waiter's exit, p99 ms", quantile(exits, 0.99).toFixed(0)],
      [`CPU time of one waiter in ${idleSeconds} s, ms`, idleMs.toFixed(1)],
    ],
    notes: [
      `${exits.length} waiters in ${rounds} rounds; all of a round end at the same moment and share ` +
        "the CPUs, among them with the process that got ready.",
    ],
  };
}

async function waitingBoard(board: string, agents: number): Promise<string[]> {
  const names = agentNames(agents);
  runScript("init", [board, String(agents), "3600"]);
  const [last, ...others] = names;
  for (const name of names) await run("register", board, name);
  for (const name of others) await run("ready", board, name);
  return last === undefined ? [] : [last, ...others];
}

function startWaiting(board: string, name: string): { child: ChildProcess; exit: Promise<number> } {
  const argv = script("poll", board, name, "--wait");
  const child = spawn(process.execPath, argv, { env: environment, stdio: "ignore" });
  const exit = once(child, "exit").then(([code]) => {
    if (code !== 0) throw new Error(`poll --wait ended with ${code}`);
    return performance.timeOrigin + performance.now();
  });
  return { child, exit };
}

/** Milliseconds of CPU that one process took on average; NaN where the system does not tell. */
async function cpuWhileIdle(processes: readonly ChildProcess[], seconds: number): Promise<number> {
  if (process.platform !== "linux") return Number.NaN;
  const before = processes.map(cpuMs);
  await sleep(seconds * 1_000);
  const used = processes.map((child, index) => cpuMs(child) - (before[index] ?? 0));
  return used.reduce((sum, it) => sum + it, 0) / used.length;
}

function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const tickMs = 10;
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** One board with so many findings, read by somebody who posted none. */
export async function measureReadAll(
  folder: string,
  findings: number,
  rounds: number,
): Promise<Section> {
  const board = join(folder, "large");
  const agents = 10;
  const directory = project(join(folder, "project"));
  runScript("init", [board, String(agents), "3600"]);
  const place = placeAt(board);
  for (const name of agentNames(agents)) {
    runScript("register", [board, name]);
    for (let number = 1; number <= findings / agents; number += 1) {
      const text = report(`What ${name} found, number ${number}`, directory);
      const author = { name, project: folder, base: folder };
      await post(place, author, `topic ${number}`, text, systemClock);
    }
  }
  const times = Array.from({ length: rounds }, () => ({
    whole: timeRun(script("read-all", board, "reader", "--limit", "0"), folder),
    since: timeRun(script("read-all", board, "reader", "--since", String(findings)), folder),
    bare: timeRun(nothing, folder),
  }));
  const ms = (name: "whole" | "since" | "bare") => median(times.map((it) => it[name])).toFixed(0);
  return {
    title: `Findings: \`read-all\` over ${findings} reports`,
    columns: ["what", "value"],
    rows: [
      ["all of them, ms", ms("whole")],
      ["what came since, ms", ms("since")],
      ["`node -e 0`, ms", ms("bare")],
      [
        "peak memory, all of them, MiB",
        peakMiB(folder, "read-all", board, "reader", "--limit", "0"),
      ],
      ["peak memory, `node -e 0`, MiB", peakMiB(folder)],
    ],
    notes: [`Each cites a line, which is compared. Medians of ${rounds} runs.`],
  };
}

/** The peak memory of a script; of Node doing nothing without one. */
function peakMiB(folder: string, name?: string, ...words: string[]): string {
  const preload = join(folder, "peak-memory.cjs");
  const print = 'require("fs").writeSync(2, "peak " + process.resourceUsage().maxRSS + "\\n")';
  writeFileSync(preload, `process.on("exit", () => ${print});\n`);
  const argv = ["--require", preload, ...(name === undefined ? nothing : script(name, ...words))];
  const { stderr } = spawnSync(process.execPath, argv, { env: environment, encoding: "utf8" });
  return (Number(/^peak (\d+)$/m.exec(stderr)?.[1]) / 1_024).toFixed(0);
}
