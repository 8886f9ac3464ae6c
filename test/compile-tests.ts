import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { textFiles } from "../build/options.ts";
import { makeScratchFolder } from "./scratch-folder.ts";

/** Some tests remove what is in a home: no two processes have the same. */
const ownHome = "test/brain/own-home.ts";

/** A file that asks where it is goes on to be told where its source is. */
const placeOfSource: Plugin = {
  name: "place-of-source",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.")) return undefined;
      const folder = `const folderOfSource = ${JSON.stringify(dirname(path))};`;
      const url = `const urlOfSource = ${JSON.stringify(pathToFileURL(path).href)};`;
      return { contents: `${folder}${url}${text}`, loader: "ts" };
    });
  },
};

/**
 * Compiles these test files and all that they import, once for all processes that will run them, into
 * a folder that goes with this process. Returns where it is; the files keep their paths below it.
 */
export async function compileTests(paths: readonly string[]): Promise<string> {
  const outdir = makeScratchFolder();
  await build({
    entryPoints: [...paths, ownHome],
    outbase: ".",
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: true,
    define: { "import.meta.dirname": "folderOfSource", "import.meta.url": "urlOfSource" },
    loader: textFiles,
    plugins: [placeOfSource],
    logLevel: "error",
  });
  symlinkSync(resolve("node_modules"), join(outdir, "node_modules"), "junction");
  return outdir;
}

/**
 * Writes a program for each group, which runs its files, each as a suite with hooks of its own; Node
 * starts them in the order of their names. Most files are worth no process of their own: its start,
 * and that of the scripts' thread, costs more than their tests.
 */
export function writePrograms(outdir: string, groups: readonly (readonly string[])[]): string[] {
  const compiled = (path: string) =>
    JSON.stringify(pathToFileURL(join(outdir, path.replace(/\.ts$/, ".mjs"))).href);
  const first = `import ${compiled(ownHome)};\nimport { describe } from "node:test";\n`;
  return groups.map((paths, index) => {
    const suites = paths.map(
      (path) => `describe(${JSON.stringify(path)}, () => import(${compiled(path)}));\n`,
    );
    const program = join(outdir, `group-${String(index + 1).padStart(3, "0")}.mjs`);
    writeFileSync(program, `${first}${suites.join("")}`);
    return program;
  });
}
