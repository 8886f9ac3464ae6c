import { createHash } from "node:crypto";
import { relative, resolve } from "node:path";
import { Script } from "node:vm";
import { build, type Plugin } from "esbuild";
import type { Chunks } from "./assign-chunks.ts";
import type { ModuleGraph } from "./module-graph.ts";
import { options } from "./options.ts";

export interface Chunk {
  readonly text: string;
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
  for (const name of inOrder(graph, chunks)) {
    const entry = entryOf(name, graph, chunks, wanted.get(name) ?? new Set());
    const esm = await bundle(name, entry, graph, chunks);
    const { text, imports } = toFunction(esm);
    for (const [chunk, keys] of imports) {
      wanted.set(chunk, new Set([...(wanted.get(chunk) ?? []), ...keys]));
    }
    compiled.set(name, { text: marked(name, text), needs: [...imports.keys()].sort() });
  }
  return compiled;
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
        if (!isDynamic && other !== undefined && other !== chunk) visit(other);
      }
    }
    open.delete(chunk);
    ordered.unshift(chunk);
  };
  for (const chunk of [...new Set(chunks.values())].sort()) visit(chunk);
  return ordered;
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
    const from = JSON.stringify(resolve(path));
    if ([...graph.scripts.values()].includes(path)) lines.push(`import ${from};`);
    if (graph.lazy.includes(path)) lines.push(`export * as ${idOf(path)} from ${from};`);
    const pairs = (graph.exports.get(path) ?? [])
      .map((it) => [it, keyOf(path, it, graph, chunks)] as const)
      .filter(([, key]) => wanted.has(key))
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
    plugins: [chunksPlugin(name, graph, chunks)],
  });
  return outputFiles[0]?.text ?? "";
}

const otherChunk = "other-chunk";

/** What is in another chunk is loaded from there. */
function chunksPlugin(name: string, graph: ModuleGraph, chunks: Chunks): Plugin {
  return {
    name: "chunks",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ importer, namespace, path }) => {
        if (namespace === otherChunk && path.includes("#")) return undefined;
        if (path.startsWith("chunk:")) return { path, external: true };
        const from = graph.imports.get(relative(process.cwd(), importer));
        const target = from?.find(({ written }) => written === path);
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
function toFunction(esm: string): { text: string; imports: Map<string, string[]> } {
  const { targets, names }: Imports = { targets: new Map(), names: new Map() };
  const rest = esm.replaceAll(importStatement, (...match) => {
    const { whole, space, names: listed = "", id = "" } = match.at(-1);
    const bare = [whole, space].filter((it) => it !== undefined);
    targets.set(id, [...(targets.get(id) ?? []), ...bare]);
    const all = listed === "" ? [] : listed.split(",");
    names.set(id, [...(names.get(id) ?? []), ...all]);
    return "";
  });
  const body = rest
    .replaceAll(/\bimport\((?=")/g, "later(")
    .replace(/export\{([^{}]*)\};\s*$/, handOut);
  const heads = [...names].flatMap(([id, list]) => {
    const pattern = list.length === 0 ? [] : [`{${list.join(",").replaceAll(" as ", ":")}}`];
    const left = [...(targets.get(id) ?? []), ...pattern];
    return (left.length === 0 ? ["{}"] : left).map((it) => `${it}=require(${JSON.stringify(id)})`);
  });
  const head = heads.length === 0 ? "" : `const ${heads.join(",")};`;
  const text = `(function(require,later,exports){"use strict";${head}${body.trim()}})\n`;
  // Throws where a statement was overlooked.
  new Script(text);
  return { text, imports: chunksIn(names) };
}

function chunksIn(names: Imports["names"]): Map<string, string[]> {
  const chunks = [...names].filter(([id]) => id.startsWith("chunk:"));
  return new Map(
    chunks.map(([id, list]) => [
      id.slice("chunk:".length),
      list.map((it) => it.split(" as ")[0] ?? ""),
    ]),
  );
}

function handOut(_: string, names: string): string {
  const pairs = names.split(",").map((it) => {
    const [local, name = local] = it.split(" as ");
    return local === name ? `${local}` : `${name}:${local}`;
  });
  return `Object.assign(exports,{${pairs.join(",")}});`;
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
