import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { textFiles } from "../build/options.ts";
import { makeScratchFolder } from "./scratch-folder.ts";

const bundles = new Map<string, string>();
let folder = "";

/**
 * Gives one file that holds a fixture and all that it imports, made once a test file: its processes
 * start at once, and make the same system calls in every run.
 */
export function bundledFixture(path: string): string {
  const known = bundles.get(path);
  if (known !== undefined) return known;
  if (folder === "") folder = makeScratchFolder();
  const outfile = join(folder, basename(path).replace(/\.ts$/, ".mjs"));
  buildSync({
    entryPoints: [path],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    // What is CommonJS in it asks for Node's own modules by this.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    loader: textFiles,
    logLevel: "error",
  });
  bundles.set(path, outfile);
  return outfile;
}
