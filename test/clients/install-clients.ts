import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { makeScratchFolder, removeFolder } from "../store/scratch-folder.ts";

/** The versions that the suite is written against: to test others, change them here. */
export const clientPackages = {
  claude: { name: "@anthropic-ai/claude-code", version: "2.1.330" },
  gemini: { name: "@google/gemini-cli", version: "0.61.0" },
} as const;

/** Where both programs lie, or why they cannot be had here. */
export type Clients = { readonly bin: string } | { readonly missing: string };

const run = promisify(execFile);
const installTimeoutMs = 600_000;
const packages = Object.values(clientPackages);

/**
 * Gives the pinned clients: those below CONSULTA_CLIENTS, a node_modules folder that somebody has
 * filled, else a copy in the user's cache, which the first run installs.
 * @throws when CONSULTA_CLIENTS holds other versions, which would test something else.
 */
export async function findClients(): Promise<Clients> {
  const given = process.env["CONSULTA_CLIENTS"];
  if (given !== undefined && given !== "") {
    await checkVersions(join(given, ".bin"));
    return { bin: join(given, ".bin") };
  }
  const ready = join(cacheFolder(), "node_modules", ".bin");
  if (existsSync(ready)) return { bin: ready };
  const fault = await install(cacheFolder());
  // Another run may have been faster.
  if (fault === undefined || existsSync(ready)) return { bin: ready };
  return { missing: `npm cannot install the clients: ${fault}` };
}

function cacheFolder(): string {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const versions = packages.map(({ version }) => version).join("-");
  const machine = `${process.platform}-${process.arch}`;
  return join(cache, "consulta-test-clients", `${versions}-${machine}`);
}

/**
 * Gives why npm could not. The folder gets its name only when all in it runs: half an install is
 * never found.
 */
async function install(folder: string): Promise<string | undefined> {
  mkdirSync(dirname(folder), { recursive: true });
  removeOldDrafts(dirname(folder));
  const draft = mkdtempSync(`${folder}.draft-`);
  try {
    const fault = await npmInstall(draft);
    if (fault !== undefined) return fault;
    await checkVersions(join(draft, "node_modules", ".bin"));
    if (!existsSync(folder)) renameSync(draft, folder);
    return undefined;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function npmInstall(folder: string): Promise<string | undefined> {
  const specs = packages.map(({ name, version }) => `${name}@${version}`);
  const flags = ["--no-fund", "--no-audit", "--no-package-lock", "--prefix", folder];
  try {
    await run("npm", ["install", ...flags, ...specs], { cwd: folder, timeout: installTimeoutMs });
    return undefined;
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    return /^npm error code .*$/m.exec(text)?.[0] ?? text.split("\n")[0];
  }
}

/** What a run that was killed has left: hundreds of megabytes. */
function removeOldDrafts(cache: string): void {
  for (const name of readdirSync(cache).filter((it) => it.includes(".draft-"))) {
    const ageMs = Date.now() - statSync(join(cache, name)).mtimeMs;
    if (ageMs > 2 * installTimeoutMs) rmSync(join(cache, name), { recursive: true, force: true });
  }
}

/** Runs both in a home of their own: even for its version a client may look into the user's. */
async function checkVersions(bin: string): Promise<void> {
  const home = makeScratchFolder();
  const env = { PATH: process.env["PATH"], HOME: home };
  try {
    for (const [program, { version }] of Object.entries(clientPackages)) {
      const { stdout } = await run(join(bin, program), ["--version"], { timeout: 60_000, env });
      const [found] = stdout.trim().split(/\s/);
      if (found === version) continue;
      throw new Error(`${join(bin, program)} is version ${found}; expected ${version}`);
    }
  } finally {
    removeFolder(home);
  }
}
