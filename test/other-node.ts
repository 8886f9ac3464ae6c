import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { loadSqlite } from "../scripts-src/brain/store/sqlite.ts";

const run = promisify(execFile);
const installTimeoutMs = 300_000;

/** Whether the brain of this Node runs by `node:sqlite`, and not by the build that is WebAssembly. */
export const hasOwnSqlite = (await loadSqlite()).locksEnd;
/** A Node whose brain runs by the other of the two. */
const version = hasOwnSqlite ? "20.20.2" : "24.21.0";

/**
 * Gives a Node that runs the brain by the other SQLite than this one: CONSULTA_OTHER_NODE, else one in the user's
 * cache, which the first run installs.
 */
export async function findOtherNode(): Promise<string> {
  const given = process.env["CONSULTA_OTHER_NODE"];
  if (given !== undefined && given !== "") return given;
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const name = `${version}-${process.platform}-${process.arch}`;
  const folder = join(cache, "consulta-test-node", name);
  const path = join(folder, "node_modules", ".bin", "node");
  if (!existsSync(path)) await install(folder);
  return path;
}

/** The Nodes for a comparison of the two. */
export async function nodesBySqlite(): Promise<{ own: string; wasm: string }> {
  const other = await findOtherNode();
  if (hasOwnSqlite) return { own: process.execPath, wasm: other };
  return { own: other, wasm: process.execPath };
}

/** The folder gets its name only when all in it is there. */
async function install(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.draft-`);
  try {
    const flags = ["--no-fund", "--no-audit", "--no-package-lock", "--prefix", draft];
    const options = { cwd: draft, timeout: installTimeoutMs };
    await run("npm", ["install", ...flags, `node@${version}`], options);
    await run(join(draft, "node_modules", ".bin", "node"), ["--version"]);
    // Another run may have been faster.
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
