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
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

/** The versions that the suite is written against: to test others, change them here. */
export const clientPackages = {
  claude: { name: "@anthropic-ai/claude-code", version: "2.1.330" },
  gemini: { name: "@google/gemini-cli", version: "0.61.0" },
} as const;

const newNode = { name: "node", version: "22.23.3" };

/** Clients of some suites only, each installed by itself, with a Node where the oldest is not enough. */
export const otherPackages = {
  codex: { codex: { name: "@openai/codex", version: "0.171.0" } },
  opencode: { opencode: { name: "opencode-ai", version: "1.18.33" } },
  qwen: { qwen: { name: "@qwen-code/qwen-code", version: "0.24.4" }, node: newNode },
  copilot: { copilot: { name: "@github/copilot", version: "1.0.102" }, node: newNode },
} as const;
export type OtherClient = keyof typeof otherPackages;

/** Where programs lie, or why they cannot be had here. */
export type Programs = { readonly bin: string } | { readonly missing: string };

/** Packages that are installed together, by names of npm with exact versions. */
interface Bundle {
  /** Names the folder in the cache: other versions get another one. */
  readonly label: string;
  readonly specs: readonly string[];
  /** @throws when what lies there is not what was asked for. */
  readonly check: (bin: string) => Promise<void>;
}

const run = promisify(execFile);
const installTimeoutMs = 600_000;
type Package = { readonly name: string; readonly version: string };

function bundleOf(label: string, packages: Readonly<Record<string, Package>>): Bundle {
  return {
    label,
    specs: Object.values(packages).map(({ name, version }) => `${name}@${version}`),
    check: async (bin) => {
      for (const [program, { version }] of Object.entries(packages)) {
        await checkVersion(join(bin, program), version, bin);
      }
    },
  };
}

const versions = Object.values(clientPackages).map(({ version }) => version);
const clients = bundleOf(versions.join("-"), clientPackages);

/**
 * Gives the pinned clients: those below CONSULTA_CLIENTS, a node_modules folder that somebody has
 * filled, else a copy in the user's cache, which the first run installs; and the others that are named.
 * @throws when CONSULTA_CLIENTS holds other versions, which would test something else.
 */
export async function findClients(...others: readonly OtherClient[]): Promise<Programs> {
  const given = process.env["CONSULTA_CLIENTS"];
  const bundles = others.map((name) => {
    const packages: Readonly<Record<string, Package>> = otherPackages[name];
    return bundleOf(`${name}-${packages[name]?.version}`, packages);
  });
  const bins: string[] = [];
  for (const bundle of [clients, ...bundles]) {
    const isGiven = given !== undefined && given !== "" && bundle === clients;
    if (isGiven) await clients.check(join(given, ".bin"));
    const found = isGiven ? { bin: join(given, ".bin") } : await findBundle(bundle);
    if ("missing" in found) return found;
    bins.push(found.bin);
  }
  return { bin: bins.join(delimiter) };
}

export interface SkillsInstaller {
  readonly version: string;
  readonly node: string;
}

/** What npm picks for Node 20 and for Node 22, each with a Node that it runs on. */
export const skillsInstallers: readonly SkillsInstaller[] = [
  { version: "1.5.18", node: "20.20.2" },
  { version: "1.7.4", node: "22.23.3" },
];

/** Gives the installer of skills in one version, and the Node that this version needs. */
export function findSkillsInstaller({ version, node }: SkillsInstaller): Promise<Programs> {
  return findBundle({
    label: `skills-${version}-node-${node}`,
    specs: [`skills@${version}`, `node@${node}`],
    check: async (bin) => {
      await checkVersion(join(bin, "node"), node);
      await checkVersion(join(bin, "skills"), version, bin);
    },
  });
}

/** Gives a Node of one version. */
export function findNode(version: string): Promise<Programs> {
  return findBundle({
    label: `node-${version}`,
    specs: [`node@${version}`],
    check: (bin) => checkVersion(join(bin, "node"), version),
  });
}

async function findBundle(bundle: Bundle): Promise<Programs> {
  const folder = cacheFolder(bundle);
  const ready = join(folder, "node_modules", ".bin");
  if (existsSync(ready)) return { bin: ready };
  const fault = await install(bundle, folder);
  // Another run may have been faster.
  if (fault === undefined || existsSync(ready)) return { bin: ready };
  return { missing: `npm cannot install ${bundle.specs.join(" and ")}: ${fault}` };
}

function cacheFolder({ label }: Bundle): string {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const machine = `${process.platform}-${process.arch}`;
  return join(cache, "consulta-test-clients", `${label}-${machine}`);
}

/**
 * Gives why npm could not. The folder gets its name only when all in it runs: half an install is
 * never found.
 */
async function install(bundle: Bundle, folder: string): Promise<string | undefined> {
  mkdirSync(dirname(folder), { recursive: true });
  removeOldDrafts(dirname(folder));
  const draft = mkdtempSync(`${folder}.draft-`);
  try {
    const fault = await npmInstall(bundle, draft);
    if (fault !== undefined) return fault;
    await bundle.check(join(draft, "node_modules", ".bin"));
    if (!existsSync(folder)) renameSync(draft, folder);
    return undefined;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function npmInstall({ specs }: Bundle, folder: string): Promise<string | undefined> {
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

/** Runs it in a home of its own: even for its version a client may look into the user's. */
async function checkVersion(program: string, version: string, path = ""): Promise<void> {
  const home = makeScratchFolder();
  const env = { PATH: [path, process.env["PATH"]].join(delimiter), HOME: home };
  try {
    const { stdout } = await run(program, ["--version"], { timeout: 60_000, env });
    const found = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
    if (found === version) return;
    throw new Error(`${program} is version ${found}; expected ${version}`);
  } finally {
    removeFolder(home);
  }
}
