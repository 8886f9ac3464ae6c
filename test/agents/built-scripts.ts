import { mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { makeScratchFolder } from "../store/scratch-folder.ts";

const names = ["append-event", "consult", "next-action", "rehearsal", "report"];

/** Builds the scripts that a run needs into a folder of this test, away from dist/. */
export async function buildScripts(): Promise<string> {
  const folder = join(makeScratchFolder(), "scripts");
  mkdirSync(folder);
  const sources = readdirSync("scripts-src/cli").filter((name) =>
    names.includes(basename(name, ".ts")),
  );
  await build({
    entryPoints: sources.map((name) => join("scripts-src/cli", name)),
    outdir: folder,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    loader: { ".md": "text", ".json": "json", ".gitignore": "text" },
    logLevel: "error",
  });
  return folder;
}
