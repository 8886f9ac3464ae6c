/**
 * Compiles every script of scripts-src/cli into one CommonJS file and copies the result to where
 * it is run from. A rebuild gives the same bytes.
 *
 * What a script imports dynamically becomes a part: a sibling file under parts/, loaded only when
 * it is needed, because every byte of a script costs each of its starts.
 */
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const sources = "scripts-src/cli";
const output = "dist";
/** Folders that carry copies of dist/: a skill is installed as its folder and nothing else. */
const copies = ["skills/consulta/scripts", ".consulta/scripts"];

const parts = new Map<string, string>();

const partsPlugin: Plugin = {
  name: "parts",
  setup({ onResolve, initialOptions }) {
    const prefix = initialOptions.outdir === join(output, "parts") ? "./" : "./parts/";
    onResolve({ filter: /.*/ }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import" || path.startsWith("node:")) return undefined;
      const entry = path.startsWith(".") ? resolve(resolveDir, path) : path;
      const name = basename(path, ".ts");
      parts.set(name, entry);
      return { path: `${prefix}${name}.cjs`, external: true };
    });
  },
};

async function compile(entryPoints: Record<string, string>, outdir: string, executable: boolean) {
  await build({
    entryPoints,
    outdir,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    minify: true,
    legalComments: "none",
    loader: { ".md": "text", ".gitignore": "text" },
    supported: { "dynamic-import": false },
    plugins: [partsPlugin],
    ...(executable ? { banner: { js: "#!/usr/bin/env node" } } : {}),
  });
}

rmSync(output, { recursive: true, force: true });
const scripts = readdirSync(sources).filter((name) => name.endsWith(".ts"));
const entries = scripts.map((name) => [basename(name, ".ts"), join(sources, name)]);
await compile(Object.fromEntries(entries), output, true);
for (const name of scripts) chmodSync(join(output, `${basename(name, ".ts")}.cjs`), 0o755);

// A part may have parts of its own: go on until none is new.
for (const built = new Set<string>(); built.size < parts.size; ) {
  const fresh = [...parts].filter(([name]) => !built.has(name));
  await compile(Object.fromEntries(fresh), join(output, "parts"), false);
  for (const [name] of fresh) built.add(name);
}

// The rules have one source; a skill carries its own copy.
cpSync(".consulta/PROTOCOL.md", "skills/consulta/references/PROTOCOL.md");

for (const folder of copies) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(output, folder, { recursive: true });
}

// A colleague with the original ConsultaSkill starts its watchers by their names.
cpSync("scripts-src/watchers", ".consulta/scripts", { recursive: true });
