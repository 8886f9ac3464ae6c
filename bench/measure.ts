import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeVariable, ownHome } from "./own-home.ts";

const root = join(import.meta.dirname, "..");
/** A copy of the built scripts, which no build changes while they are measured. */
const scripts = mkdtempSync(join(realpathSync(tmpdir()), "consulta-scripts-"));
cpSync(join(root, "dist"), scripts, { recursive: true });

/** Where the measured scripts lie. */
export const scriptsFolder = scripts;

/** What one section of the benchmark found, ready to be printed. */
export interface Section {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

/**
 * The environment of measured processes: an extra CA file makes Node start three times slower, the
 * compiled code that other runs kept is not what these would keep, and sessions may be long.
 */
export const environment: NodeJS.ProcessEnv = {
  ...process.env,
  CONSULTA_PARTICIPANT: undefined,
  HOME: ownHome,
  [homeVariable]: ownHome,
  XDG_CACHE_HOME: mkdtempSync(join(realpathSync(tmpdir()), "consulta-cache-")),
};
process.on("exit", () => {
  for (const folder of [scripts, environment["XDG_CACHE_HOME"] ?? ""]) {
    rmSync(folder, { recursive: true, force: true });
  }
});
delete environment["NODE_EXTRA_CA_CERTS"];
delete environment["NODE_OPTIONS"];

/** The command line of Node doing nothing, which all is compared with. */
export const nothing: readonly string[] = ["-e", "0"];

export function script(name: string, ...words: readonly string[]): string[] {
  return [join(scripts, `${name}.cjs`), ...words];
}

/** Runs Node to its end and gives the milliseconds it took; throws when it fails. */
export function timeRun(
  argv: readonly string[],
  cwd: string,
  {
    program = process.execPath,
    home = ownHome,
  }: { program?: string; home?: string | undefined } = {},
): number {
  const from = process.hrtime.bigint();
  const { status, stderr } = spawnSync(program, argv, {
    cwd,
    env: { ...environment, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const tookMs = Number(process.hrtime.bigint() - from) / 1e6;
  if (status === 0) return tookMs;
  throw new Error(`${argv.join(" ")} ended with ${status}: ${stderr}`);
}

/** Runs a script that must succeed. */
export function runScript(name: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, script(name, ...words), {
    env: environment,
    encoding: "utf8",
  });
  if (status === 0) return stdout;
  throw new Error(`${name} ${words.join(" ")} ended with ${status}: ${stderr}`);
}

/** Builds a project with a session of so many events. */
export function buildProject(project: string, eventsCount: number): void {
  const build = join(import.meta.dirname, "build-log.ts");
  const words = ["--import", "tsx", build, project, String(eventsCount)];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, env: environment });
  if (status !== 0) throw new Error(`the log was not built: ${stderr}`);
}

/** The value below which `share` of all values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function verdict(value: number, good: boolean, digits = 2): string {
  return `${value.toFixed(digits)} ${good ? "ok" : "**missed**"}`;
}

/** Rows as a table of Markdown. */
export function tableOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [columns, columns.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return `${lines.join("\n")}\n`;
}
