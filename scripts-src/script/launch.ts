import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
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
 */
export function launch(require: NodeJS.Require, folder: string, script: string): void {
  const fault = nodeFault(process.versions.node);
  if (fault !== undefined) {
    const way = "get a newer one from https://nodejs.org or by your version manager";
    giveUp(script, `${fault} in ${process.execPath}; ${way}`);
  }
  const caches = cacheFolder();
  const cache = caches && join(caches, script);
  const file = bundleIn(folder);
  if (file === undefined) {
    const path = join(folder, bundleFile);
    giveUp(script, `${path} is missing; install the skills of Consulta again`);
  }
  const bundle = compile(file, cache, (write) => {
    process.once("exit", () => {
      write();
      if (caches !== undefined) sweep(caches);
    });
  });
  bundle(require, script);
}

/** The skill that holds the bundle for the other skills of a project. */
export const bundleHolder = "consulta";
export const bundleFile = "consulta.cjs";

function bundleIn(scripts: string): string | undefined {
  const own = join(scripts, bundleFile);
  const held = join(scripts, "../..", bundleHolder, "scripts", bundleFile);
  return [own, held].find((it) => existsSync(it));
}

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
  if (script === "hook") process.exit(0);
  writeSync(2, `error: ${reason}\n`);
  process.exit(unavailable);
}

/** `exitCodes.UNAVAILABLE` of base/errors.ts, written out: an import would put that table into each launcher. */
const unavailable = 4;

/** The bundle's text is one function expression. */
type Bundle = (require: NodeJS.Require, script: string) => void;

function compile(
  file: string,
  caches: string | undefined,
  atEnd: (write: () => void) => void,
): Bundle {
  // Plain ASCII (see the build), which this decodes quicker than UTF-8.
  const source = readFileSync(file, "latin1");
  // V8 checks a cache against no more than the source's length, so the cache's name holds the source's hash,
  // which the build writes in front.
  const hash = source.slice(2, 18);
  const cache = caches && `${caches}-${hash}-${process.version}-${process.arch}`;
  const kept = cache === undefined ? undefined : readIfPresent(cache);
  // A cache file is V8's data and one byte: how many runs have added to it.
  const cachedData = kept?.subarray(0, -1);
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  const runs = cachedData === undefined || script.cachedDataRejected ? 0 : (kept?.at(-1) ?? 0);
  if (cache !== undefined && runs < learningRuns) {
    // At exit V8 has compiled all that this run needed; the new cache also holds what the old one held.
    atEnd(() => keep(cache, script.createCachedData(), runs + 1));
  }
  return script.runInThisContext();
}

/** So many runs add to a cache: one may need little of a chunk, and more would add what is seldom needed. */
const learningRuns = 3;

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

function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

const keptMs = 30 * 86_400_000;

/**
 * Whole and durable, or not at all: V8 does not survive a damaged cache. A cache that cannot be
 * written is no loss.
 */
function keep(path: string, data: Buffer, runs: number): void {
  try {
    const file = openSync(`${path}.${process.pid}`, "wx", 0o600);
    writeFileSync(file, Buffer.concat([data, Buffer.of(runs)]));
    fsyncSync(file);
    closeSync(file);
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    return;
  }
}

/**
 * Removes caches that were written more than 30 days ago: mostly those of older builds. One still in use is
 * learned again.
 */
function sweep(caches: string): void {
  try {
    for (const name of readdirSync(caches)) {
      const file = join(caches, name);
      if (Date.now() - lstatSync(file).mtimeMs > keptMs) rmSync(file);
    }
  } catch {
    return;
  }
}
