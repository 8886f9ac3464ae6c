import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { pagePlugin } from "./compile-page.ts";
import { options } from "./options.ts";

export interface Import {
  readonly to: string;
  /** As the importing file writes it. */
  readonly written: string;
  readonly isDynamic: boolean;
}

/** All modules of all scripts by their paths, and what each imports. */
export interface ModuleGraph {
  readonly imports: ReadonlyMap<string, readonly Import[]>;
  /** The scripts by name, with their modules. */
  readonly scripts: ReadonlyMap<string, string>;
  /** What is imported dynamically. */
  readonly lazy: readonly string[];
  readonly exports: ReadonlyMap<string, readonly string[]>;
}

const sources = "scripts-src/cli";

export async function readModuleGraph(): Promise<ModuleGraph> {
  const names = readdirSync(sources)
    .filter((it) => it.endsWith(".ts"))
    .sort();
  const scripts = new Map(names.map((it) => [basename(it, ".ts"), join(sources, it)]));
  const entryPoints = [...scripts.values()];
  const { metafile } = await build({
    ...options,
    ...{ entryPoints, outdir: "dist", format: "esm", splitting: true, metafile: true },
    plugins: [pagePlugin],
  });
  const imports = new Map<string, Import[]>();
  for (const [path, input] of Object.entries(metafile.inputs)) {
    const inner = input.imports.filter(({ external }) => external !== true);
    imports.set(
      path,
      inner.map(({ path: to, kind, original }) => ({
        ...{ to, written: original ?? to, isDynamic: kind === "dynamic-import" },
      })),
    );
  }
  const all = [...imports.values()].flat().filter(({ isDynamic }) => isDynamic);
  const lazy = [...new Set(all.map(({ to }) => to))].sort();
  return { imports, scripts, lazy, exports: await exportsOf([...imports.keys()]) };
}

/** The values that each module exports; a text is one. */
async function exportsOf(paths: string[]): Promise<Map<string, string[]>> {
  const isCode = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path);
  const { metafile } = await build({
    ...{ entryPoints: paths.filter(isCode), outdir: "dist", outbase: "/", write: false },
    ...{ metafile: true, bundle: false, format: "esm", logLevel: "error" },
  });
  const exported = new Map(paths.filter((it) => !isCode(it)).map((it) => [it, ["default"]]));
  for (const { entryPoint = "", exports } of Object.values(metafile.outputs)) {
    exported.set(entryPoint, exports);
  }
  return exported;
}

/**
 * What can be loaded from modules, themselves included; what they import dynamically only if wanted,
 * and nothing from `stops` on.
 */
export function reachedFrom(
  graph: ModuleGraph,
  starts: readonly string[],
  { withLazy, stops }: { withLazy: boolean; stops?: (path: string) => boolean },
): Set<string> {
  const reached = new Set<string>();
  const open = [...starts];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const next = (graph.imports.get(path) ?? []).filter((it) => withLazy || !it.isDynamic);
    open.push(...next.map(({ to }) => to).filter((to) => stops?.(to) !== true));
  }
  return reached;
}
