import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

/**
 * Runs a compiled script from `parts/`, with V8's code cache: compiling cold code is what most of a
 * short script's time goes to, and every start would pay it anew. The cache lies in a folder that
 * only its owner can write, because V8 runs what it finds there; where there is none, or none can
 * be kept, the script just starts slower. `build` names the bytes that were compiled.
 */
export function launch(load: NodeJS.Require, folder: string, name: string, build: string): void {
  const file = join(folder, "parts", `${name}.cjs`);
  const source = `(function(require){${readFileSync(file, "utf8")}\n})`;
  const cache = cachePath(`${name}-${build}-${process.version}-${process.arch}`);
  const cachedData = cache === undefined ? undefined : readIfPresent(cache);
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  if (cache !== undefined && (cachedData === undefined || script.cachedDataRejected)) {
    // At the end, when all that this run needed has been compiled.
    process.once("exit", () => keep(cache, script.createCachedData()));
  }
  script.runInThisContext()(load);
}

/** Where the cache of a build lies; undefined where no private folder can be had. */
function cachePath(name: string): string | undefined {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME, NODE_DISABLE_COMPILE_CACHE } = process.env;
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME ? join(HOME, ".cache") : undefined);
  if (base === undefined || NODE_DISABLE_COMPILE_CACHE) return undefined;
  const folder = join(base, "consulta");
  try {
    const status = lstatSync(folder, { throwIfNoEntry: false });
    if (status === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
    else if (!isPrivate(status)) return undefined;
    return join(folder, name);
  } catch {
    return undefined;
  }
}

function isPrivate(status: { isDirectory(): boolean; uid: number; mode: number }): boolean {
  if (process.getuid === undefined) return status.isDirectory();
  return status.isDirectory() && status.uid === process.getuid() && (status.mode & 0o077) === 0;
}

function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Whole or not at all; a cache that cannot be written is no loss. */
function keep(path: string, data: Buffer): void {
  try {
    writeFileSync(`${path}.${process.pid}`, data, { mode: 0o600 });
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    return;
  }
}
