/**
 * Compiles every script of scripts-src/cli to CommonJS and copies what each place needs to it. A
 * rebuild gives the same bytes.
 *
 * A script NAME.cjs is a launcher of a few lines (script/launch.ts); its code is chunks/NAME.cjs and
 * the chunks that it shares with other scripts. What it imports dynamically is in chunks as well,
 * loaded only when they are needed, because every byte of a script costs each of its starts.
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
import { assignChunks } from "./build/assign-chunks.ts";
import { compileChunks } from "./build/compile-chunks.ts";
import { hashModuleSource } from "./build/hash-module.ts";
import { reachedFrom, readModuleGraph } from "./build/module-graph.ts";
import { about, options } from "./build/options.ts";
import { scriptsOfSkills } from "./build/scripts-of-skills.ts";
import { packagedHooks } from "./scripts-src/clis/hook-entries.ts";
import { skillNames } from "./scripts-src/clis/skill-names.ts";
import {
  claudeSettings,
  geminiPolicy,
  policyFile,
  settingsFile,
} from "./scripts-src/pack/permission-rules.ts";

type Files = Map<string, Uint8Array>;

/** Compiles all scripts; returns the files by their paths below the output folder. */
export async function compileScripts(): Promise<Files> {
  return (await compilePack()).files;
}

interface Compiled {
  /** All files of the output folder. */
  readonly files: Files;
  /** The files that a script needs, itself included. */
  readonly needs: ReadonlyMap<string, ReadonlySet<string>>;
}

async function compilePack(): Promise<Compiled> {
  const graph = await readModuleGraph();
  const chunks = assignChunks(graph);
  const compiled = await compileChunks(graph, chunks);
  const files: Files = new Map();
  for (const [name, { text }] of [...compiled].sort()) {
    files.set(`chunks/${name}.cjs`, Buffer.from(text));
  }
  const needs = new Map<string, Set<string>>();
  for (const [name, path] of graph.scripts) {
    files.set(`${name}.cjs`, await launcherOf(name));
    const wanted = new Set<string>();
    for (const module of reachedFrom(graph, [path], { withLazy: true })) {
      const chunk = chunks.get(module);
      if (chunk === undefined) throw new Error(`${module} is in no chunk`);
      wanted.add(chunk);
    }
    // A chunk runs as a whole: also what its other modules load at once must be there.
    for (const chunk of wanted)
      for (const other of compiled.get(chunk)?.needs ?? []) wanted.add(other);
    needs.set(name, new Set([`${name}.cjs`, ...[...wanted].map((it) => `chunks/${it}.cjs`)]));
  }
  files.set("version.json", versionFile(files, needs));
  return { files, needs };
}

/** What `doctor` knows every copy by: the files of this build, their hashes, and those that a skill has not. */
function versionFile(files: Files, needs: Compiled["needs"]): Uint8Array {
  const hashes = Object.fromEntries(
    [...files]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([path, bytes]) => [path, hashOf(bytes, 32)]),
  );
  const without = Object.fromEntries(
    skillNames.map((skill) => {
      const its = new Set(filesOfSkill(skill, needs));
      return [skill, Object.keys(hashes).filter((path) => !its.has(path))];
    }),
  );
  const build = hashOf(JSON.stringify(hashes));
  const stamp = { version: about.version, build, files: hashes, without };
  return Buffer.from(`${JSON.stringify(stamp)}\n`);
}

function filesOfSkill(skill: keyof typeof scriptsOfSkills, needs: Compiled["needs"]): string[] {
  const files = new Set<string>();
  for (const script of scriptsOfSkills[skill]) {
    const wanted = needs.get(script);
    if (wanted === undefined)
      throw new Error(`${skill} wants ${script}.cjs, which no source makes`);
    for (const path of wanted) files.add(path);
  }
  return [...files].sort();
}

/** What a skill's copy holds. */
function copyFor(skill: keyof typeof scriptsOfSkills, { files, needs }: Compiled): Files {
  const paths = new Set([...filesOfSkill(skill, needs), "version.json"]);
  return new Map([...files].filter(([path]) => paths.has(path)));
}

function hashOf(content: Uint8Array | string, digits = 16): string {
  return createHash("sha256").update(content).digest("hex").slice(0, digits);
}

/** The script itself: a few lines that run the chunk of its name. */
async function launcherOf(name: string): Promise<Uint8Array> {
  const call = `launch(module.require.bind(module), __dirname, "${name}");`;
  const result = await build({
    ...options,
    format: "cjs",
    stdin: {
      contents: `import { launch } from "./launch.ts";\n${call}`,
      resolveDir: "scripts-src/script",
    },
    banner: { js: "#!/usr/bin/env node" },
  });
  return result.outputFiles[0]?.contents ?? new Uint8Array();
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
  writeFileSync("scripts-src/base/hash-module.ts", hashModuleSource());
  const pack = await compilePack();
  install(pack.files, "dist");
  // A skill is installed as its folder and nothing else, so it carries a copy of all that it runs.
  for (const skill of skillNames) {
    install(copyFor(skill, pack), `skills/${skill}/scripts`);
    mkdirSync(join("skills", skill, "references"), { recursive: true });
    writeFileSync(join("skills", skill, policyFile), `${geminiPolicy(skill)}\n`);
    writeFileSync(join("skills", skill, settingsFile), `${claudeSettings(skill)}\n`);
  }
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
  for (const folder of ["commands", "skills/.claude-plugin"])
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
