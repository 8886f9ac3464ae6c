/**
 * Compiles every script of scripts-src/cli into one CommonJS file and copies the result to where
 * it is run from. A rebuild gives the same bytes.
 *
 * What a script imports dynamically becomes a part: a sibling file under parts/, loaded only when
 * it is needed, because every byte of a script costs each of its starts.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const sources = "scripts-src/cli";

/** Compiles all scripts and their parts; gives the files by their paths below the output folder. */
export async function compileScripts(): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const parts = new Map<string, string>();
  const compiled = readdirSync(sources).filter((name) => name.endsWith(".ts"));
  const entries = compiled.map((name) => [basename(name, ".ts"), join(sources, name)]);
  await compile(Object.fromEntries(entries), "", parts, files);
  // A part may have parts of its own: go on until none is new.
  for (const built = new Set<string>(); built.size < parts.size; ) {
    const fresh = [...parts].filter(([name]) => !built.has(name));
    await compile(Object.fromEntries(fresh), "parts", parts, files);
    for (const [name] of fresh) built.add(name);
  }
  return files;
}

async function compile(
  entryPoints: Record<string, string>,
  folder: string,
  parts: Map<string, string>,
  files: Map<string, Uint8Array>,
): Promise<void> {
  const outdir = resolve("dist", folder);
  const result = await build({
    entryPoints,
    outdir,
    write: false,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    minify: true,
    legalComments: "none",
    loader: { ".md": "text", ".gitignore": "text" },
    supported: { "dynamic-import": false },
    plugins: [partsPlugin(folder === "" ? "./parts/" : "./", parts)],
    ...(folder === "" ? { banner: { js: "#!/usr/bin/env node" } } : {}),
  });
  for (const { path, contents } of result.outputFiles) {
    files.set(join(folder, relative(outdir, path)), contents);
  }
}

function partsPlugin(prefix: string, parts: Map<string, string>): Plugin {
  return {
    name: "parts",
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ kind, path, resolveDir }) => {
        if (kind !== "dynamic-import" || path.startsWith("node:")) return undefined;
        const entry = path.startsWith(".") ? resolve(resolveDir, path) : path;
        const name = basename(path, ".ts");
        const known = parts.get(name);
        if (known !== undefined && known !== entry) {
          return { errors: [{ text: `two parts are named ${name}: ${known} and ${entry}` }] };
        }
        parts.set(name, entry);
        return { path: `${prefix}${name}.cjs`, external: true };
      });
    },
  };
}

/** Makes a folder hold exactly these files; one that is running is never missing or half there. */
export function install(files: Map<string, Uint8Array>, folder: string): void {
  for (const [path, contents] of files) {
    const place = join(folder, path);
    if (existsSync(place) && readFileSync(place).equals(contents)) continue;
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(`${place}.new`, contents);
    chmodSync(`${place}.new`, dirname(path) === "." ? 0o755 : 0o644);
    renameSync(`${place}.new`, place);
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(relative(folder, path))) rmSync(path);
  }
}

if (process.argv[1]?.endsWith("build.ts")) {
  const files = await compileScripts();
  install(files, "dist");
  // A skill is installed as its folder and nothing else, so it carries a copy of all it runs.
  install(files, "skills/consulta/scripts");
  // A colleague with the original ConsultaSkill starts its watchers by their names.
  const watchers = readdirSync("scripts-src/watchers").map(
    (name) => [name, readFileSync(join("scripts-src/watchers", name))] as const,
  );
  install(new Map([...files, ...watchers]), ".consulta/scripts");
  // The rules have one source; the skill carries its own copy.
  cpSync(".consulta/PROTOCOL.md", "skills/consulta/references/PROTOCOL.md");
}
