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
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { Script } from "node:vm";

/**
 * Runs a compiled script from `chunks/`, and the other chunks that it loads, with V8's code cache:
 * compiling cold code is what most of a short script's time goes to, and every start would pay it
 * anew. Each script has its own cache of a chunk, which holds only the functions that it ran. The
 * cache is in a folder that only its owner can write, because V8 runs what it finds there; where
 * there is none, or none can be kept, the script just starts slower.
 */
export function launch(load: NodeJS.Require, folder: string, name: string): void {
  // Also what Node brings: nearly every chunk asks for it again.
  const loaded = new Map<string, object>();
  const caches = cacheFolder();
  const require = (id: string): object => {
    const known = loaded.get(id);
    if (known !== undefined) return known;
    const chunk = /^chunk:(.+)$/.exec(id)?.[1];
    const exports: object = chunk === undefined ? nodeModule(load, id) : {};
    loaded.set(id, exports);
    if (chunk !== undefined) {
      const cache = caches && join(caches, `${name}.${chunk}`);
      compile(join(folder, "chunks", `${chunk}.cjs`), cache)(require, later, exports);
    }
    return exports;
  };
  const later = async (id: string): Promise<unknown> => {
    const [chunk = "", module] = id.split("#");
    // What a promise gives must not seem to be a promise itself, as what stands in for a module would.
    if (module === undefined) return id.startsWith("chunk:") ? require(id) : load(id);
    return Reflect.get(require(chunk), module);
  };
  require(`chunk:${name}`);
}

/** What many modules name and most starts never call; loading it costs 0.3 to 2 ms. */
const seldomUsed = new Set(["node:os", "node:crypto"]);

/** A module of Node; one that is seldom used is loaded when something of it is called or looked into. */
function nodeModule(load: NodeJS.Require, id: string): object {
  if (!seldomUsed.has(id)) return load(id);
  // A chunk takes each name out of its modules when it is loaded.
  return new Proxy(
    {},
    {
      // Whatever has a `then` is taken for a promise by whoever imports it.
      get: (_, name) => (name === "then" ? undefined : whenUsed(() => Reflect.get(load(id), name))),
    },
  );
}

/** Stands in for a function or an object until it is used. */
function whenUsed(find: () => object): object {
  return new Proxy(() => undefined, {
    apply: (_, self, words) => Reflect.apply(Object(find()), self, words),
    get: (_, name) => Reflect.get(find(), name),
  });
}

type Compiled = (
  require: (id: string) => object,
  later: (id: string) => Promise<unknown>,
  exports: object,
) => void;

/** A chunk is one function, in which nothing is added to its text: a copy would cost time and memory. */
function compile(file: string, caches: string | undefined): Compiled {
  const source = readSource(file);
  // V8 itself compares no more than the length of a text.
  const hash = /^\/\*([0-9a-f]{16})\*\//.exec(source)?.[1];
  const cache = caches && hash && `${caches}-${hash}-${process.version}-${process.arch}`;
  const kept = cache === undefined ? undefined : readIfPresent(cache);
  const cachedData = kept?.subarray(0, -1);
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  const runs = cachedData === undefined || script.cachedDataRejected ? 0 : (kept?.at(-1) ?? 0);
  if (cache !== undefined && runs < learningRuns) {
    // At the end, when all that this run needed has been compiled; what was cached stays in it.
    process.once("exit", () => keep(cache, script.createCachedData(), runs + 1));
  }
  return script.runInThisContext();
}

/**
 * V8 keeps a text from this size on apart. Shorter ones fill the memory for fresh objects, which is then
 * cleaned up in the middle of a start.
 */
const largeTextBytes = 132_000;
/** Below this it is cheaper to let it be. */
const smallTextBytes = 32_000;
const blank = 0x20;

/** The text of a chunk, with blanks up to that size where it is not small. */
function readSource(file: string): string {
  const bytes = readFileSync(file);
  // Plain ASCII (see the build), which this decodes quicker than UTF-8.
  const fits = bytes.length >= largeTextBytes || bytes.length < smallTextBytes;
  if (fits) return bytes.toString("latin1");
  const large = Buffer.alloc(largeTextBytes, blank);
  bytes.copy(large);
  return large.toString("latin1");
}

/** One run may need little of a chunk. More than a few would fill the cache with what others seldom need. */
const learningRuns = 3;

/** Where the caches lie; undefined where no private folder can be had. */
function cacheFolder(): string | undefined {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME, NODE_DISABLE_COMPILE_CACHE } = process.env;
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME ? join(HOME, ".cache") : undefined);
  if (base === undefined || !isAbsolute(base) || NODE_DISABLE_COMPILE_CACHE) return undefined;
  const folder = join(base, "consulta");
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) {
      // Not `recursive`: where a home is only announced, as by automounters, Node would try for ever.
      if (!existsSync(base)) mkdirSync(base, { mode: 0o700 });
      mkdirSync(folder, { mode: 0o700 });
    }
    // Whoever may write to the base could put another folder in the place of ours.
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
 * Whole and durable, or not at all: V8 does not survive a damaged cache. Caches of builds that are
 * long gone are swept. A cache that cannot be written is no loss.
 */
function keep(path: string, data: Buffer, runs: number): void {
  try {
    const file = openSync(`${path}.${process.pid}`, "wx", 0o600);
    writeFileSync(file, Buffer.concat([data, Buffer.of(runs)]));
    fsyncSync(file);
    closeSync(file);
    renameSync(`${path}.${process.pid}`, path);
    for (const name of readdirSync(dirname(path))) {
      const other = join(dirname(path), name);
      if (Date.now() - lstatSync(other).mtimeMs > keptMs) rmSync(other);
    }
  } catch {
    return;
  }
}
