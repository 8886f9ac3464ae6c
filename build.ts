/**
 * Compiles all scripts of scripts-src/cli into one bundle, `consulta.cjs`, and writes an entry for each,
 * NAME.cjs (script/launch.ts). A rebuild gives the same bytes.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { pagePlugin } from "./build/compile-page.ts";
import { about, options } from "./build/options.ts";
import { packSqlite, sqliteElsewhere, sqlitePlugin } from "./build/pack-sqlite.ts";
import { bellScript, packagedHooks } from "./scripts-src/clis/hook-entries.ts";
import { pluginModule } from "./scripts-src/clis/opencode-plugin.ts";
import { skillNames } from "./scripts-src/clis/skill-names.ts";
import { filesBelow } from "./scripts-src/pack/pack.ts";
import { bundleFile, launcherFile, sqliteFile } from "./scripts-src/script/launch.ts";

type Files = Map<string, Uint8Array>;

const scripts = readdirSync("scripts-src/cli")
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.slice(0, -".ts".length));

/** Compiles all scripts; returns the files by their names. */
export async function compileScripts(): Promise<Files> {
  const files: Files = new Map([
    [bundleFile, await compileBundle()],
    [launcherFile, await compileLauncher()],
    [pluginModule, await compilePlugin()],
    [sqliteFile, await packSqlite()],
  ]);
  files.set(
    bellScript,
    Buffer.from(oneLine(readFileSync(`scripts-src/wake/${bellScript}`, "utf8"))),
  );
  for (const name of scripts) files.set(`${name}.cjs`, Buffer.from(entryOf(name)));
  return files;
}

/** A shell script without comments, in one line: git gives lines the ends of Windows in a checkout there. */
function oneLine(script: string): string {
  const lines = script.split("\n").filter((line) => !/^\s*(?:#|$)/.test(line));
  return lines.reduce((all, line) => {
    const isOpen = /(?:^|\s)(?:then|do|else|in|\{|&&|\|\|)$|;;$/.test(all);
    return `${all}${all === "" ? "" : isOpen ? " " : "; "}${line.trim()}`;
  }, "");
}

/** A function of a module and its `require`, which exports a function for each script. */
async function compileBundle(): Promise<Uint8Array> {
  const verbs = scripts.map((name) => `"${name}": () => import("./scripts-src/cli/${name}.ts")`);
  const { outputFiles } = await build({
    ...options,
    format: "cjs",
    charset: "ascii",
    supported: { "dynamic-import": false },
    plugins: [pagePlugin, sqlitePlugin],
    stdin: { contents: `module.exports = {${verbs}};`, resolveDir: ".", loader: "ts" },
  });
  const code = inAscii(outputFiles[0]?.text ?? "");
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 16);
  const head = `/*${hash} consulta ${about.version}*/`;
  return Buffer.from(`${head}(function(module,require){"use strict";${code}})`);
}

/** One sign beyond ASCII doubles what V8 keeps of a source; `charset` leaves those in regular expressions. */
function inAscii(code: string): string {
  return code.replace(
    /[^\x00-\x7e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What starts a script of the bundle; a Node that is too old for that can read this. */
async function compileLauncher(): Promise<Uint8Array> {
  const contents =
    'import { launch } from "./launch.ts";\n' +
    "module.exports = (script) => launch(__dirname, require, script);\n" +
    "if (require.main === module) launch(__dirname, require);";
  const { outputFiles } = await build({
    ...options,
    format: "cjs",
    target: "node10",
    stdin: { contents, resolveDir: "scripts-src/script" },
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

/** What OpenCode loads into its own process, in the runtime that it brings. */
async function compilePlugin(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    ...options,
    format: "esm",
    entryPoints: ["scripts-src/wake/opencode-plugin.ts"],
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

function entryOf(name: string): string {
  return `#!/usr/bin/env node\n"use strict";\nrequire("./run.cjs")("${name}");\n`;
}

/**
 * The bundle with the scripts that a skill's texts and the CLIs' hooks name. In a project the scripts of the skill
 * `consulta` are those of all skills.
 */
function scriptsFor(skill: string, files: Files): Files {
  const readers = skill === "consulta" ? skillNames : [skill];
  const texts = readers.flatMap((name) =>
    filesBelow(`skills/${name}`)
      .filter((path) => path.endsWith(".md"))
      .map((path) => readFileSync(`skills/${name}/${path}`, "utf8")),
  );
  const named = texts.flatMap((text) => text.match(/[a-z-]+\.cjs\b/g) ?? []);
  const wanted = new Set([
    bundleFile,
    launcherFile,
    bellScript,
    pluginModule,
    sqliteFile,
    ...named,
  ]);
  const own = [...files].filter(([name]) => wanted.has(name));
  const elsewhere = sqliteElsewhere(files.get(sqliteFile) ?? Buffer.of());
  return new Map([...own, ...(skill === "brain" ? [] : [[sqliteFile, elsewhere] as const])]);
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
  const used = new Set([...files.keys()].map(dirname));
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !used.has(entry.name)) rmdirSync(join(folder, entry.name));
  }
}

if (process.argv[1]?.endsWith("build.ts")) {
  const files = await compileScripts();
  install(files, "dist");
  // A colleague with the original ConsultaSkill starts its watchers by their names.
  const watchers = readdirSync("scripts-src/session/workspace/watchers").map(
    (name) => [name, readFileSync(join("scripts-src/session/workspace/watchers", name))] as const,
  );
  install(new Map(watchers), ".consulta/scripts");
  // The rules have one source; the skill carries its own copy.
  cpSync(".consulta/PROTOCOL.md", "skills/consulta/references/PROTOCOL.md");
  // So has the diagram; what it links to does not travel with the skill.
  const states = readFileSync("docs/collaboration.md", "utf8").replace(
    /\[([^\]]+)\]\(\.\.\/[^)]*\)/g,
    "`$1`",
  );
  writeFileSync("skills/collaborate/references/states.md", states);
  // A skill is installed as its folder and nothing else, so it carries a copy of all that it runs.
  for (const skill of skillNames) install(scriptsFor(skill, files), `skills/${skill}/scripts`);
  for (const folder of ["commands", "skills/.claude-plugin", "skills/.codex-plugin"])
    rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of packaging()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/**
 * What makes this repository a marketplace of Claude Code, whose plugin is `skills/` and nothing else,
 * and a Gemini CLI extension, of which `npm run extension` packs what it needs.
 */
function packaging(): [path: string, content: string][] {
  const { name, version, description, license } = about;
  const author = { name: "Consulta contributors" };
  const [ofPlugin, ofExtension] = [".claude/commands", ".gemini/commands"].map(filesIn);
  const hooks = packagedHooks();
  const inJson = {
    ".claude-plugin/marketplace.json": {
      name,
      owner: author,
      metadata: { description, version },
      plugins: [{ name, source: "./skills", description, version, license }],
    },
    "skills/.claude-plugin/plugin.json": {
      ...{ name, version, description, author, license },
      skills: skillNames.map((skill) => `./${skill}`),
      commands: ofPlugin?.map(([file]) => `./.claude-plugin/commands/${file}`),
      hooks: "./.claude-plugin/hooks.json",
    },
    "skills/.claude-plugin/hooks.json": { hooks: hooks.plugin },
    "skills/.codex-plugin/plugin.json": {
      ...{ name, version, description, author, license },
      skills: skillNames.map((skill) => `./${skill}`),
      hooks: "./.codex-plugin/hooks.json",
    },
    "skills/.codex-plugin/hooks.json": { hooks: hooks.codex },
    "hooks/hooks.json": { hooks: hooks.extension },
    "gemini-extension.json": { name, version, description },
  };
  const manifests = Object.entries(inJson).map(([path, value]): [string, string] => [
    path,
    `${JSON.stringify(value, undefined, 2)}\n`,
  ]);
  return [
    ...manifests,
    ...below("skills/.claude-plugin/commands", ofPlugin ?? []),
    ...below("commands", ofExtension ?? []),
  ];
}

function below(folder: string, files: [file: string, text: string][]): [string, string][] {
  return files.map(([file, text]) => [`${folder}/${file}`, text]);
}

function filesIn(folder: string): [file: string, text: string][] {
  const names = readdirSync(folder).sort();
  return names.map((file) => [file, readFileSync(join(folder, file), "utf8")]);
}
