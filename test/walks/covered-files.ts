import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { pagePlugin } from "../../build/compile-page.ts";
import { options } from "../../build/options.ts";
import { sqlitePlugin } from "../../build/pack-sqlite.ts";

/** The scripts as one bundle that keeps its names, in a folder, with an entry for each. */
export async function buildReadable(folder: string): Promise<void> {
  const names = readdirSync("scripts-src/cli").flatMap(
    (name) => /^(.*)\.ts$/.exec(name)?.[1] ?? [],
  );
  const verbs = names.map((name) => `"${name}": () => import("./scripts-src/cli/${name}.ts")`);
  const { outputFiles } = await build({
    ...options,
    ...{ minify: false, format: "cjs", supported: { "dynamic-import": false } },
    plugins: [pagePlugin, sqlitePlugin],
    stdin: { contents: `module.exports = {${verbs}};`, resolveDir: ".", loader: "ts" },
  });
  writeFileSync(join(folder, "consulta.cjs"), outputFiles[0]?.contents ?? "");
  for (const name of names)
    writeFileSync(join(folder, `${name}.cjs`), `require("./consulta.cjs")["${name}"]();\n`);
}

/** A project in which scripts of `buildReadable` run. */
export class CoveredProject {
  readonly #scripts: string;
  readonly #root: string;

  constructor(scripts: string, root: string) {
    this.#scripts = scripts;
    this.#root = root;
    for (const name of ["home", "project", "coverage"]) mkdirSync(join(root, name));
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.#root, "project", name), text);
  }

  /** Runs a script; `isWalked`: what it passes counts. */
  run(isWalked: boolean, script: string, ...words: string[]): void {
    const home = join(this.#root, "home");
    const coverage = isWalked ? { NODE_V8_COVERAGE: join(this.#root, "coverage") } : {};
    const environment = { PATH: process.env["PATH"], HOME: home, ...coverage };
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(this.#scripts, `${script}.cjs`), ...words],
      { cwd: join(this.#root, "project"), encoding: "utf8", env: environment },
    );
    if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`);
  }

  /** The source files of ours in which a named function ran, and how many such functions. */
  passed(): { files: string[]; functions: number } {
    const bundle = readFileSync(join(this.#scripts, "consulta.cjs"), "utf8");
    // esbuild writes the path of a module above its code.
    const modules = [...bundle.matchAll(/^ *\/\/ ((?:scripts-src|node_modules)\/\S+|<\S+>)$/gm)];
    const fileAt = (offset: number) => modules.findLast(({ index }) => index <= offset)?.[1] ?? "";
    const ran = new Set<string>();
    const folder = join(this.#root, "coverage");
    for (const name of readdirSync(folder)) {
      for (const { url, functions } of JSON.parse(readFileSync(join(folder, name), "utf8")).result)
        if (String(url).endsWith("/consulta.cjs"))
          // A module's own code runs under its path.
          for (const { functionName, ranges } of functions)
            if (ranges[0].count > 0 && /^#?\w+$/.test(functionName))
              ran.add(`${fileAt(ranges[0].startOffset)} ${functionName} ${ranges[0].startOffset}`);
    }
    const own = [...ran].filter((it) => it.startsWith("scripts-src/"));
    const files = new Set(own.map((it) => it.slice("scripts-src/".length, it.indexOf(" "))));
    return { files: [...files].sort(), functions: own.length };
  }
}
