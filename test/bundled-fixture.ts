import { existsSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { textFiles } from "../build/options.ts";
import { sharedFolder } from "./shared-folder.ts";

const sqliteModule = resolve("node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.js");

/**
 * Gives one file that holds a fixture and all that it imports, made once a run: its processes
 * start at once, and make the same system calls each time.
 */
export function bundledFixture(path: string): string {
  const name = path.replace(/\.ts$/, "").replaceAll("/", "-");
  const outfile = join(sharedFolder(), `${name}.mjs`);
  if (existsSync(outfile)) return outfile;
  // Another process may make the same at this moment.
  const fresh = join(sharedFolder(), `${name}-${process.pid}.mjs`);
  buildSync({
    entryPoints: [path],
    outfile: fresh,
    bundle: true,
    platform: "node",
    format: "esm",
    // What is CommonJS in it asks for Node's own modules by this.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    loader: textFiles,
    // Its script looks for its WebAssembly beside it.
    alias: { "node-sqlite3-wasm": sqliteModule },
    external: [sqliteModule],
    logLevel: "error",
  });
  renameSync(fresh, outfile);
  return outfile;
}
