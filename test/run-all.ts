/**
 * Runs every test file under test/, or those whose path holds a word of the command line, each in a
 * process of its own; with --rules those of them that start no process, in two; with --brain those instead that start a brain or need a Node with SQLite, which it finds or installs first; with
 * --sweeps those that stop a script at each of its system calls; with --clients those in the real CLIs,
 * headless; with --windows those in the real CLIs as a person uses them; with --power those that cut the
 * power, in all states or in the CONSULTA_POWER_STATES of each story.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findBrainNode } from "./brain/brain-node.ts";
import { startsProcess } from "./starts-process.ts";

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    brain: { type: "boolean", default: false },
    sweeps: { type: "boolean", default: false },
    clients: { type: "boolean", default: false },
    windows: { type: "boolean", default: false },
    power: { type: "boolean", default: false },
    rules: { type: "boolean", default: false },
  },
});
const kinds = [
  [values.brain, ".brain.ts"],
  [values.sweeps, ".sweep.ts"],
  [values.clients, ".clients.ts"],
  [values.windows, ".windows.ts"],
  [values.power, ".power.ts"],
] as const;
const ending = kinds.find(([isWanted]) => isWanted)?.[1] ?? ".test.ts";
const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(ending))
  .map((name) => join("test", name))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  .filter((name) => !values.rules || !startsProcess(resolve(name)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${words.join(", ")}`);
  process.exit(2);
}
if (values.brain) {
  const node = await findBrainNode();
  if ("missing" in node) {
    console.error(`no Node with SQLite for the brain's tests: ${node.missing}`);
    console.error("set CONSULTA_NODE24 to a Node of version 22.16 or later");
    process.exit(1);
  }
}
if (values.rules) process.exit(await runInTwoProcesses(files));
const flags = ["--import", "tsx", "--test", "--test-concurrency=2", "--test-reporter=spec"];
const { status } = spawnSync(process.execPath, [...flags, ...files], { stdio: "inherit" });
process.exit(status ?? 1);

/** Runs half of these files in each of two processes; the code of the first that failed. */
async function runInTwoProcesses(names: readonly string[]): Promise<number> {
  const words = ["--import", "tsx", "--test-reporter=dot", "test/in-one-process.fixture.ts"];
  const halves = [0, 1].map((half) => names.filter((_, index) => index % 2 === half));
  const codes = halves
    .filter((half) => half.length > 0)
    .map(async (half) => {
      const child = spawn(process.execPath, [...words, ...half], { stdio: "inherit" });
      const [code] = await once(child, "exit");
      return Number(code ?? 1);
    });
  return (await Promise.all(codes)).find((code) => code !== 0) ?? 0;
}
