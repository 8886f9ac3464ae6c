import { basename } from "node:path";
import { lateChunkOf } from "./late-chunks.ts";
import { type ModuleGraph, reachedFrom } from "./module-graph.ts";

/** The name of the chunk in which each module is. */
export type Chunks = ReadonlyMap<string, string>;

/** What a hook and a turn of a dialogue load: every byte that these share with the rest costs each start. */
const ofEachTurn = [
  ...["hook", "append-event", "next-action", "status", "wait-for-turn"],
  ...["answer-hook", "dialogue", "dialogue-message", "lists"],
];

/**
 * A module that one script, one dynamic import, or one late chunk needs alone is in a chunk of its
 * name. What several need is in a chunk by who needs it: `base` is what a hook or a turn needs, and the
 * rest is shared by room. In one chunk that is over 128 KiB, where V8 keeps a text apart from what it
 * collects: as two it fills a start's first megabyte, and each start pays for a collection.
 */
export function assignChunks(graph: ModuleGraph): Chunks {
  const roots = new Map([...graph.scripts].map(([name, path]) => [path, name]));
  for (const path of graph.lazy) roots.set(path, nameOfLazy(path, roots));
  for (const path of graph.imports.keys()) {
    const late = lateChunkOf(path);
    if (late !== undefined) roots.set(path, late);
  }
  const users = new Map<string, Set<string>>();
  for (const [path, name] of roots) {
    const stops = (it: string) => lateChunkOf(it) !== undefined;
    for (const reached of reachedFrom(graph, [path], { withLazy: false, stops })) {
      users.set(reached, (users.get(reached) ?? new Set()).add(name));
    }
  }
  return new Map(
    [...users].map(([path, names]) => [path, lateChunkOf(path) ?? chunkOf(path, [...names])]),
  );
}

function chunkOf(path: string, users: readonly string[]): string {
  const [only] = users;
  if (only !== undefined && users.length === 1) return only;
  if (users.every((it) => it.startsWith("dialogue"))) {
    return users.includes("dialogue") ? "dialogue" : "dialogue-message";
  }
  if (ofEachTurn.some((it) => users.includes(it))) return "base";
  return sharedChunks.find(([within]) => within.test(path))?.[1] ?? "shared";
}

/** Where modules are that several scripts share, but few of those that run all the time. */
const sharedChunks: readonly [within: RegExp, chunk: string][] = [
  [/^scripts-src\/brain\/|node_modules\/ws\//, "brain-shared"],
  [/^scripts-src\/pack\/|node_modules\/jsonc-parser\//, "pack-shared"],
  [/^scripts-src\/findings\//, "findings-shared"],
  [/^scripts-src\/collaboration\//, "collaboration-shared"],
  [/^scripts-src\/view\/terminal\/|node_modules\/[\w-]*(?:ansi|width)[\w-]*\//, "terminal"],
  [/^scripts-src\/view\/|^page:|node_modules\/marked\//, "view-shared"],
  [/\/workspace-files\.ts$|\/watchers\/|^\.consulta\//, "workspace-files"],
  [
    /^scripts-src\/remote\/|\/session\/(?:store-asked|session-store|join-line|join-session)\.ts$/,
    "remote",
  ],
  [/^scripts-src\/(?:clis\/|files\/is-within\.ts$)/, "clis-shared"],
  [/\/base\/(everyday|stop|name)-words\.ts$/, "words"],
];

function nameOfLazy(path: string, taken: ReadonlyMap<string, string>): string {
  const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  const name = packageName?.replace(/\W+/g, "-") ?? basename(path).replace(/\.tsx?$/, "");
  for (const [other, known] of taken) {
    if (known === name && other !== path) {
      throw new Error(`two chunks would be named ${name}, for ${other} and ${path}: rename one`);
    }
  }
  return name;
}
