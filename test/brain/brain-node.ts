import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { plainEnvironment } from "../log/append-loop.ts";

/** The Node that the brain's tests run where the machine's own is older than 22.16. */
const version = "24.21.0";
const run = promisify(execFile);
const installTimeoutMs = 300_000;
const probe = `
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  new DatabaseSync(":memory:").exec("create virtual table probe using fts5(text)");
`;

export type BrainNode = { readonly path: string } | { readonly missing: string };

/**
 * Gives a Node that has SQLite with full-text search: the running one, else CONSULTA_NODE24, else
 * one in the user's cache, which the first run installs; or says why there is none.
 */
export async function findBrainNode(): Promise<BrainNode> {
  if (await canRunBrain(process.execPath)) return { path: process.execPath };
  const given = process.env["CONSULTA_NODE24"];
  if (given !== undefined && given !== "") {
    if (await canRunBrain(given)) return { path: given };
    throw new Error(`CONSULTA_NODE24 is ${given}, which has no SQLite with full-text search`);
  }
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const name = `${version}-${process.platform}-${process.arch}`;
  const folder = join(cache, "consulta-test-node", name);
  const path = join(folder, "node_modules", ".bin", "node");
  const fault = existsSync(path) ? undefined : await install(folder);
  // Another run may have been faster.
  return existsSync(path) ? { path } : { missing: fault ?? `${path} is not there` };
}

export async function canRunBrain(node: string): Promise<boolean> {
  try {
    await run(node, ["--no-warnings", "--eval", probe], { env: plainEnvironment() });
    return true;
  } catch {
    return false;
  }
}

/** Gives why npm could not. The folder gets its name only when all in it is there. */
async function install(folder: string): Promise<string | undefined> {
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.draft-`);
  try {
    const flags = ["--no-fund", "--no-audit", "--no-package-lock", "--prefix", draft];
    const options = { cwd: draft, timeout: installTimeoutMs };
    await run("npm", ["install", ...flags, `node@${version}`], options);
    if (!(await canRunBrain(join(draft, "node_modules", ".bin", "node")))) {
      return "the installed Node does not run here";
    }
    if (!existsSync(folder)) renameSync(draft, folder);
    return undefined;
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    return /^npm (?:error|ERR!) code .*$/m.exec(text)?.[0] ?? text.split("\n")[0];
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
