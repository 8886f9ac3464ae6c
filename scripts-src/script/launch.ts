import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { Script } from "node:vm";

/**
 * Runs a script of the bundle, `consulta.cjs`, with V8's code cache: compiling cold code is what most of a
 * short script's time goes to, and every start would pay it again. Each script has a cache of its own, which
 * holds only the functions that it ran. The cache is in a folder that only its owner can write, because V8
 * runs what it finds there; where there is none, or none can be kept, the script just starts slower.
 * The build makes `run.cjs` of this file, in words that a Node reads which cannot read the bundle.
 */
export function launch(
  folder: string,
  require: NodeJS.Require,
  script = process.argv.splice(2, 1).join(),
): void {
  const fault = nodeFault(process.versions.node);
  const way = "get a newer one from https://nodejs.org or by your version manager";
  if (fault !== undefined) giveUp(script, `${fault} in ${process.execPath}; ${way}`);
  const file = join(folder, bundleFile);
  if (!/^[a-z-]+$/.test(script))
    giveUp(script, "name a script, then its words: run.cjs status --all");
  if (!existsSync(file)) giveUp(script, `${file} is missing; install the skills of Consulta again`);
  const scripts = loadBundle(file, require, script);
  const start = Object.entries(scripts).find(([name]) => name === script)?.[1];
  if (start === undefined)
    giveUp(script, `there is no ${script}, but ${Object.keys(scripts).join(", ")}`);
  start();
}

export const bundleFile = "consulta.cjs";
/** Runs any script of the bundle by its name. */
export const launcherFile = "run.cjs";
/** SQLite for a Node that has none; it lies in `dist/` and in the skill `brain`, to which those of the other skills lead. */
export const sqliteFile = "node-sqlite3-wasm.cjs";

/** The oldest Node that runs the bundle, put in by the build from package.json. */
declare const CONSULTA_NODE: string;

/** Why a Node cannot run the bundle: it would end with a stack, or do half of the work. */
export function nodeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [majorMin = 0, minorMin = 0] = CONSULTA_NODE.split(".").map(Number);
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return undefined;
  return `Consulta needs Node ${CONSULTA_NODE} or newer, this is Node ${version}`;
}

/** A hook ends as if it had nothing to say: its CLI would report a failure at each event. */
function giveUp(script: string, reason: string): never {
  if (script !== "hook") writeSync(2, `error: ${reason}\n`);
  process.exit(script === "hook" ? 0 : unavailable);
}

/** `exitCodes.UNAVAILABLE` of base/errors.ts, written out: an import would put that table into `run.cjs`. */
const unavailable = 4;

/** What the bundle exports: a function for each script. */
type Scripts = Readonly<Record<string, () => void>>;

/** Where the caches lie; undefined where no private folder can be had. */
function cacheFolder(): string | undefined {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME, NODE_DISABLE_COMPILE_CACHE } = process.env;
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME ? join(HOME, ".cache") : undefined);
  if (base === undefined || !isAbsolute(base) || NODE_DISABLE_COMPILE_CACHE) return undefined;
  const folder = join(base, "consulta");
  try {
    if (!existsSync(folder)) {
      // Not `recursive`: where a home is only announced, as by automounters, Node would try for ever.
      if (!existsSync(base)) mkdirSync(base, { mode: 0o700 });
      mkdirSync(folder, { mode: 0o700 });
    }
    // Anyone who may write to the base could put another folder in the place of ours.
    return isOwn(base, 0o022) && isOwn(folder, 0o077) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** A real folder of this user (or of root) to which nobody else has any of these rights. */
function isOwn(folder: string, rights: number): boolean {
  const status = lstatSync(folder);
  if (process.getuid === undefined) return status.isDirectory();
  const owned = status.uid === process.getuid() || status.uid === 0;
  return status.isDirectory() && owned && (status.mode & rights) === 0;
}

/**
 * Node's own cache for modules (22.1) is no better: it keeps one for each copy of the bundle, and a start costs a
 * third more. V8 checks its data against no more than the source's length, so the cache begins with the
 * source's hash, which the build writes in front of the source.
 */
function loadBundle(file: string, require: NodeJS.Require, name: string): Scripts {
  const folder = cacheFolder();
  const cache = folder && join(folder, `${name}-${process.version}-${process.arch}`);
  // Plain ASCII (see the build), which this decodes quicker than UTF-8.
  const source = readFileSync(file, "latin1");
  const hash = source.slice(2, 18);
  const kept = cache && keptFor(hash, cache);
  const script = new Script(source, {
    filename: file,
    ...(kept ? { cachedData: kept.data } : {}),
  });
  const runs = !kept || script.cachedDataRejected ? 0 : kept.runs;
  if (cache !== undefined && runs < learningRuns) {
    // At exit V8 has compiled all that this run needed; what it keeps then also holds what was kept before.
    const head = Buffer.from(`${hash}${runs + 1}`.padEnd(headBytes));
    process.once("exit", () => keep(cache, head, script.createCachedData()));
  }
  const module: { exports: Scripts } = { exports: {} };
  script.runInThisContext()(module, require);
  return module.exports;
}

/** So many runs add to a cache: the first may need little, such as `--help`. */
const learningRuns = 3;

/** V8 copies data that begins at no multiple of eight bytes. */
const headBytes = 24;

/** What is kept of the bundle of that hash: how many runs added to it, and V8's data. */
function keptFor(hash: string, cache: string): { runs: number; data: Buffer } | undefined {
  try {
    const kept = readFileSync(cache);
    if (kept.toString("latin1", 0, hash.length) !== hash) return undefined;
    const runs = Number(kept.toString("latin1", hash.length, hash.length + 1));
    return { runs, data: kept.subarray(headBytes) };
  } catch {
    return undefined;
  }
}

/** Whole and durable, or not at all: V8 does not survive a damaged cache. One that cannot be written is no loss. */
function keep(cache: string, ...parts: readonly Buffer[]): void {
  try {
    const draft = `${cache}.${process.pid}`;
    writeFileSync(draft, Buffer.concat(parts), { flag: "wx", mode: 0o600, flush: true });
    renameSync(draft, cache);
  } catch {
    return;
  }
}
