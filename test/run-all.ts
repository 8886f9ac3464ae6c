/**
 * Runs every test file under test/, or those whose path holds a word of the command line, several in
 * a process; with --rules those of them that start no process; with --long those instead that install
 * the pack, play whole walks or make very much; with --remotes those that race, and kill hosts, over a
 * git remote; with --brain all about the brain that takes longer; with --sweeps those that stop a script at each of its system calls; with --clients those in the real CLIs, headless; with
 * --windows those in the real CLIs as a person uses them; with --view those in a real browser; with
 * --power those that cut the power, in all states or in the CONSULTA_POWER_STATES of each story. With --other too they
 * are run by a Node whose brain uses the other SQLite, which is installed first where there is none.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { compileTests, writePrograms } from "./compile-tests.ts";
import { makeRunFolder } from "./memory-folder.ts";
import { removeFolder } from "./scratch-folder.ts";
import { runFolderVariable } from "./shared-folder.ts";
import { startsProcess } from "./starts-process.ts";

/** None of them should still be at work when all others are done. */
const slowest = [
  ...["remote/sessions-by-git", "remote/foreign-content", "remote/git-store"],
  ...["remote/sessions-by-etcd", "consult/terminal", "security/cost-at-scale"],
].map((name) => `test/${name}.long.ts`);
/** A file that takes longer hangs: it fails then, by name. Those that try all states may take hours. */
const hangsAfterMs = 20 * 60_000;
/** For each process at a time: more groups end at more equal times, and cost more starts. */
const groupsEach = 6;

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    brain: { type: "boolean", default: false },
    other: { type: "boolean", default: false },
    sweeps: { type: "boolean", default: false },
    clients: { type: "boolean", default: false },
    windows: { type: "boolean", default: false },
    view: { type: "boolean", default: false },
    power: { type: "boolean", default: false },
    rules: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    remotes: { type: "boolean", default: false },
  },
});
const kinds = [
  [values.long, ".long.ts"],
  [values.remotes, ".remotes.ts"],
  [values.brain, ".brain.ts"],
  [values.sweeps, ".sweep.ts"],
  [values.clients, ".clients.ts"],
  [values.windows, ".windows.ts"],
  [values.view, ".view.ts"],
  [values.power, ".power.ts"],
] as const;
const ending = kinds.find(([isWanted]) => isWanted)?.[1] ?? ".test.ts";
const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(ending))
  .map((name) => `test/${name.replaceAll("\\", "/")}`)
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  .filter((name) => !values.rules || !startsProcess(resolve(name)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${words.join(", ")}`);
  process.exit(2);
}
const node = values.other
  ? await (await import("./other-node.ts")).findOtherNode()
  : process.execPath;
const isCompiled = ending === ".test.ts" || ending === ".long.ts";
// What they write goes with this run, also when it is stopped in the middle.
const scratch = isCompiled ? makeRunFolder() : undefined;
if (scratch !== undefined) {
  process.env["TMPDIR"] = scratch;
  process.env[runFolderVariable] = scratch;
  process.once("exit", () => removeFolder(scratch));
}
// With them each Node reads all certificates as it starts, three times as long; only what installs needs them.
if (!values.brain && !values.clients && !values.windows) delete process.env["NODE_EXTRA_CA_CERTS"];
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => process.exit(143));
// Scripts that wait leave their core to others a third of the time.
const atOnce = availableParallelism() + (isCompiled ? 1 : 0);
const programs = isCompiled ? await compiledPrograms() : files;
const flags = isCompiled ? ["--enable-source-maps"] : ["--import", "tsx"];
const settings = [`--test-concurrency=${atOnce}`, "--test-reporter=spec"];
if (!values.sweeps && !values.power && !values.remotes)
  settings.push(`--test-timeout=${hangsAfterMs}`);
const { status } = spawnSync(node, [...flags, "--test", ...settings, ...programs], {
  stdio: "inherit",
});
process.exit(status ?? 1);

/** The slowest files first, each alone, and the others dealt out, so that all ends at about one time. */
async function compiledPrograms(): Promise<string[]> {
  const slow = slowest.filter((path) => files.includes(path));
  const others = files.filter((path) => !slow.includes(path));
  const count = Math.min(others.length, values.rules ? atOnce : groupsEach * atOnce);
  const groups = Array.from({ length: count }, (_, group) =>
    others.filter((_, index) => index % count === group),
  );
  return writePrograms(await compileTests(files), [...slow.map((path) => [path]), ...groups]);
}
