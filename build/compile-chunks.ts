import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { relative, resolve } from "node:path";
import { Script } from "node:vm";
import { build, type Plugin } from "esbuild";
import type { Chunks } from "./assign-chunks.ts";
import { pagePlugin } from "./compile-page.ts";
import { functionsOf, isLateOfNode, lateChunkOf } from "./late-chunks.ts";
import type { ModuleGraph } from "./module-graph.ts";
import { options } from "./options.ts";

export interface Chunk {
  readonly text: string;
  /** The names under which it hands out what others take. */
  readonly handsOut: readonly string[];
  /** The chunks that are loaded with it. */
  readonly needs: readonly string[];
}

/**
 * Compiles each chunk. A chunk names only those of its exports that another wants, so those that
 * load a chunk are compiled before it.
 */
export async function compileChunks(
  graph: ModuleGraph,
  chunks: Chunks,
): Promise<Map<string, Chunk>> {
  const compiled = new Map<string, Chunk>();
  const wanted = new Map<string, Set<string>>();
  const isLate = lateNames(graph, chunks);
  for (const name of inOrder(graph, chunks)) {
    const entry = entryOf(name, graph, chunks, wanted.get(name) ?? new Set());
    const esm = await bundle(name, entry, graph, chunks);
    const { text, imports, handsOut } = toFunction(esm, isLate);
    for (const [chunk, keys] of imports) {
      wanted.set(chunk, new Set([...(wanted.get(chunk) ?? []), ...keys]));
    }
    compiled.set(name, { text, handsOut, needs: [...imports.keys()].sort() });
  }
  const numbers = new Map([...compiled].map(([name, { handsOut }]) => [name, handsOut] as const));
  for (const [name, chunk] of compiled) {
    compiled.set(name, { ...chunk, text: marked(name, numbered(chunk.text, numbers)) });
  }
  return compiled;
}

/** Each name that is taken of a chunk becomes the number under which the chunk hands it out. */
function numbered(text: string, numbers: ReadonlyMap<string, readonly string[]>): string {
  const numberOf = (chunk: string, name: string): number => {
    const at = numbers.get(chunk)?.indexOf(name) ?? -1;
    if (at < 0) throw new Error(`chunk ${chunk} hands out no ${name}`);
    return at;
  };
  return text.replaceAll(/"name:([\w-]+)#(\w+)"/g, (_, chunk, name) => `${numberOf(chunk, name)}`);
}

/** Each chunk after those that load it. */
function inOrder(graph: ModuleGraph, chunks: Chunks): string[] {
  const ordered: string[] = [];
  const open = new Set<string>();
  const visit = (chunk: string): void => {
    if (ordered.includes(chunk)) return;
    if (open.has(chunk)) throw new Error(`chunks load each other: ${[...open, chunk].join(", ")}`);
    open.add(chunk);
    for (const [path, own] of chunks) {
      if (own !== chunk) continue;
      for (const { to, isDynamic } of graph.imports.get(path) ?? []) {
        const other = chunks.get(to);
        const isLoaded = !isDynamic && lateChunkOf(to) === undefined;
        if (isLoaded && other !== undefined && other !== chunk) visit(other);
      }
    }
    open.delete(chunk);
    ordered.unshift(chunk);
  };
  for (const chunk of [...new Set(chunks.values())].sort()) visit(chunk);
  return ordered;
}

/** Whether what a chunk takes of another chunk or of Node is a function that is loaded at its first call. */
type IsLate = (id: string, written: string) => boolean;

/** @throws Error when a chunk takes something else of a late module, which nobody could load late. */
function lateNames(graph: ModuleGraph, chunks: Chunks): IsLate {
  const functions = new Set<string>();
  const others = new Set<string>();
  for (const [path, names] of graph.exports) {
    const chunk = lateChunkOf(path);
    if (chunk === undefined) continue;
    const called = functionsOf(path);
    for (const name of names)
      (called.includes(name) ? functions : others).add(
        `chunk:${chunk} ${keyOf(path, name, graph, chunks)}`,
      );
  }
  return (id, written) => {
    const [name] = split(written);
    if (others.has(`${id} ${name}`))
      throw new Error(`${name} of ${id} is loaded late and is no function: move it elsewhere`);
    return functions.has(`${id} ${name}`) || isLateOfNode(id, name);
  };
}

/** Under which name a chunk hands out what one of its modules exports. */
function keyOf(path: string, name: string, graph: ModuleGraph, chunks: Chunks): string {
  const chunk = chunks.get(path);
  const isTaken = [...graph.exports].some(
    ([other, names]) => other !== path && chunks.get(other) === chunk && names.includes(name),
  );
  return isTaken || name === "default" ? `${name}_${idOf(path)}` : name;
}

/** A module in the words of an identifier. */
function idOf(path: string): string {
  return path.replace(/^.*node_modules\/|^scripts-src\//, "").replace(/\W+/g, "_");
}

/** What a chunk runs, and what it hands out: single names to other chunks, whole modules to `import()`. */
function entryOf(name: string, graph: ModuleGraph, chunks: Chunks, wanted: Set<string>): string {
  const lines: string[] = [];
  for (const path of [...graph.exports.keys()].sort()) {
    if (chunks.get(path) !== name) continue;
    const from = JSON.stringify(path.startsWith("page:") ? path : resolve(path));
    if ([...graph.scripts.values()].includes(path)) lines.push(`import ${from};`);
    if (graph.lazy.includes(path)) lines.push(`export * as ${idOf(path)} from ${from};`);
    const late = lateChunkOf(path) === undefined ? [] : functionsOf(path);
    const pairs = (graph.exports.get(path) ?? [])
      .map((it) => [it, keyOf(path, it, graph, chunks)] as const)
      .filter(([it, key]) => wanted.has(key) || late.includes(it))
      .map(([it, key]) => `${it} as ${key}`);
    if (pairs.length > 0) lines.push(`export { ${pairs.join(", ")} } from ${from};`);
  }
  return lines.join("\n");
}

async function bundle(
  name: string,
  contents: string,
  graph: ModuleGraph,
  chunks: Chunks,
): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    stdin: { contents, resolveDir: process.cwd(), sourcefile: "chunk" },
    format: "esm",
    plugins: [chunksPlugin(name, graph, chunks), pagePlugin],
  });
  return outputFiles[0]?.text ?? "";
}

const otherChunk = "other-chunk";
const ofNode = "of-node";

/** What is in another chunk is loaded from there. */
function chunksPlugin(name: string, graph: ModuleGraph, chunks: Chunks): Plugin {
  return {
    name: "chunks",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ importer, kind, namespace, path }) => {
        if (namespace === ofNode && path.includes("#"))
          return { path, namespace, sideEffects: false };
        if (namespace === ofNode) return { path, external: true };
        if (namespace === otherChunk && path.includes("#")) return undefined;
        if (path.startsWith("chunk:")) return { path, external: true };
        const from = graph.imports.get(relative(process.cwd(), importer));
        const target = from?.find(({ written }) => written === path);
        if (target === undefined && kind === "import-statement" && path.startsWith("node:"))
          return { path, namespace: ofNode, sideEffects: false };
        if (target === undefined) return undefined;
        const chunk = chunks.get(target.to);
        if (target.isDynamic) return { path: `chunk:${chunk}#${idOf(target.to)}`, external: true };
        return chunk === name
          ? undefined
          : { path: target.to, namespace: otherChunk, sideEffects: false };
      });
      onResolve({ filter: /^[^#]+#[^#]+$/, namespace: otherChunk }, ({ path }) => ({
        ...{ path, namespace: otherChunk, sideEffects: false },
      }));
      // So each name of Node is one variable of the chunk, and not one of each module.
      onLoad({ filter: /.*/, namespace: ofNode }, ({ path }) => {
        const [module = "", name] = path.split("#");
        if (name !== undefined) return { contents: `export { ${name} } from "${module}";` };
        const names = ["default", ...Object.keys(createRequire(import.meta.url)(module))];
        return {
          contents: names.map((it) => `export { ${it} } from "${module}#${it}";`).join("\n"),
        };
      });
      // Each name is a module of its own: what nothing uses is left out as a whole.
      onLoad({ filter: /.*/, namespace: otherChunk }, ({ path }) => {
        const [module = "", name] = path.split("#");
        if (name !== undefined) {
          const key = keyOf(module, name, graph, chunks);
          return { contents: `export { ${key} as ${name} } from "chunk:${chunks.get(module)}";` };
        }
        const names = graph.exports.get(path) ?? [];
        const lines = names.map(
          (it) => `export { ${it} } from ${JSON.stringify(`${path}#${it}`)};`,
        );
        return { contents: lines.join("\n") };
      });
    },
  };
}

/** `import{...}from"..."` and the like, as esbuild writes them. */
const importStatement =
  /(?<=^|[;}]|\n)import(?: ?(?<whole>[\w$]+))?,?(?:\*as (?<space>[\w$]+) )?(?:\{(?<names>[^{}"]*)\})?(?:from)?"(?<id>[^"]+)";/g;

interface Imports {
  /** Of each, what is written to the left of its `=`. */
  readonly targets: Map<string, string[]>;
  readonly names: Map<string, string[]>;
}

/**
 * Makes a function of a module, which the launcher can run with V8's code cache: as CommonJS, but
 * what comes from elsewhere is in variables, and not looked up at every use.
 */
function toFunction(
  esm: string,
  isLate: IsLate,
): { text: string; handsOut: string[]; imports: Map<string, string[]> } {
  const { targets, names }: Imports = { targets: new Map(), names: new Map() };
  const handsOut: string[] = [];
  const rest = esm.replaceAll(importStatement, (...match) => {
    const { whole, space, names: listed = "", id = "" } = match.at(-1);
    const bare = [whole, space].filter((it) => it !== undefined);
    targets.set(id, [...(targets.get(id) ?? []), ...bare]);
    const all = listed === "" ? [] : listed.split(",");
    names.set(id, [...(names.get(id) ?? []), ...all]);
    return "";
  });
  const body = rest
    .replaceAll(/\bimport\("chunk:([\w-]+)#(\w+)"\)/g, 'later("$1","name:$1#$2")')
    .replaceAll(/\bimport\("(node:[\w/]+)"\)/g, '(async()=>require("$1"))()')
    .replace(/export\{([^{}]*)\};\s*$/, (_, listed: string) => {
      const pairs = listed.split(",").map(split);
      handsOut.push(...pairs.map(([, name]) => name).sort());
      return handOut(pairs);
    });
  const heads = [...names].flatMap(([id, list], index) => {
    const [late, now] = divide(list.map(split), ([name]) => isLate(id, name));
    const chunk = chunkIn(id);
    if (chunk === undefined) {
      const source = `require(${JSON.stringify(id)})`;
      const bare = (targets.get(id) ?? []).map((local) => `${local}=${source}`);
      const pattern = now.map(([name, local]) => `${name}:${local}`).join(",");
      const calls = late.map(([name, local]) => `${local}=(...w)=>${source}.${name}(...w)`);
      return [...bare, ...(now.length === 0 ? [] : [`{${pattern}}=${source}`]), ...calls];
    }
    const source = `chunk(${JSON.stringify(chunk)})`;
    const take = (name: string) => `(${JSON.stringify(`name:${chunk}#${name}`)})`;
    const calls = late.map(([name, local]) => `${local}=(...w)=>${source}${take(name)}(...w)`);
    if (now.length === 0 && late.length > 0) return calls;
    const taken = now.map(([name, local]) => `${local}=$${index}$${take(name)}`);
    return [`$${index}$=${source}`, ...taken, ...calls];
  });
  const head = heads.length === 0 ? "" : `const ${heads.join(",")};`;
  const text = `(function(require,chunk,later){"use strict";${head}${body.trim()}})\n`;
  // Throws where a statement was overlooked.
  new Script(text);
  return { text, handsOut, imports: chunksIn(names) };
}

function divide<T>(all: readonly T[], isFirst: (it: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((it) => !isFirst(it))];
}

/** The two names of `name as local`. */
function split(written: string): [name: string, local: string] {
  const [name = "", local = name] = written.split(" as ");
  return [name, local];
}

function chunksIn(names: Imports["names"]): Map<string, string[]> {
  const chunks = [...names].map(([id, list]) => [chunkIn(id), list] as const);
  return new Map(
    chunks.flatMap(([chunk, list]) =>
      chunk === undefined ? [] : [[chunk, list.map((it) => split(it)[0])] as const],
    ),
  );
}

function chunkIn(id: string): string | undefined {
  return /^chunk:(.+)$/.exec(id)?.[1];
}

/**
 * What a chunk hands out, by number: an object of some hundred names would cost each start more than
 * the few of them that it takes.
 */
function handOut(pairs: readonly [local: string, name: string][]): string {
  const sorted = pairs.toSorted(([, one], [, other]) => (one < other ? -1 : 1));
  const cases = sorted.map(([local], at) => `case ${at}:return ${local};`);
  // A name that no minified variable of a chunk has.
  return `return $n$=>{switch($n$){${cases.join("")}}}`;
}

/** The launcher keeps compiled code by this hash. */
function marked(name: string, text: string): string {
  // Plain ASCII is read and compiled quicker, and is the same in every encoding.
  for (const character of text) {
    if (character > "~") throw new Error(`chunk ${name} is not ASCII: escape what is not`);
  }
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `/*${hash}*/${text}`;
}
