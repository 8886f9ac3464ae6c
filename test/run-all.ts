/**
 * Runs every test file under test/, several in a process, or those whose path holds a word of the
 * command line, each in its own. With --rules it runs those of them that start no process; with --brain
 * those instead that start a brain or need a Node with SQLite, which it finds or installs first; with
 * --sweeps those that stop a script at each of its system calls; with --clients those in the real CLIs,
 * headless; with --windows those in the real CLIs as a person uses them; with --power those that cut the
 * power, in all states or in the CONSULTA_POWER_STATES of each story.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findBrainNode } from "./brain/brain-node.ts";
import { runInGroups } from "./run-groups.ts";
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
const isWhole = ending === ".test.ts" && words.length === 0;
if (isWhole) process.exit((await runInGroups(files)) ? 0 : 1);
const flags = ["--import", "tsx", "--test", "--test-concurrency=2", "--test-reporter=spec"];
const { status } = spawnSync(process.execPath, [...flags, ...files], { stdio: "inherit" });
process.exit(status ?? 1);
