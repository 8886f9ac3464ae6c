/**
 * Compiles every script of scripts-src/cli to CommonJS and copies the result to where it is run
 * from. A rebuild gives the same bytes.
 *
 * A script NAME.cjs is a launcher of a few lines (host/launch.ts); its code is parts/NAME.cjs. What
 * a script imports dynamically becomes a part as well, loaded only when it is needed, because every
 * byte of a script costs each of its starts. All parts are loaded relative to the launcher.
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
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { packagedHooks } from "./scripts-src/core/hook-entries.ts";
import {
  claudeSettings,
  geminiPolicy,
  policyFile,
  settingsFile,
} from "./scripts-src/core/permission-rules.ts";
import { skillNames } from "./scripts-src/core/skill-names.ts";

const sources = "scripts-src/cli";

/** Compiles all scripts and their parts; gives the files by their paths below the output folder. */
export async function compileScripts(): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const names = readdirSync(sources).map((name) => basename(name, ".ts"));
  const parts = new Map(names.map((name) => [name, resolve(sources, `${name}.ts`)]));
  // A part may have parts of its own: go on until none is new.
  for (const built = new Set<string>(); built.size < parts.size; ) {
    const fresh = [...parts].filter(([name]) => !built.has(name));
    await compile(Object.fromEntries(fresh), parts, files);
    for (const [name] of fresh) built.add(name);
  }
  const hash = hashOf(files);
  for (const name of names) files.set(`${name}.cjs`, await launcherOf(name, hash));
  // What `doctor` tells copies apart by.
  files.set(
    "version.json",
    Buffer.from(`${JSON.stringify({ version: about.version, build: hash })}\n`),
  );
  return files;
}

/** Names the bytes of all parts. */
function hashOf(files: Map<string, Uint8Array>): string {
  const hash = createHash("sha256");
  for (const [path, bytes] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    // Plain ASCII is read and compiled quicker, and is the same in every encoding.
    if (bytes.some((byte) => byte > 0x7e)) {
      throw new Error(`${path} is not ASCII: escape what is not`);
    }
    hash.update(path).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}

/** The script itself: a few lines that run the compiled part of its name. */
async function launcherOf(name: string, hash: string): Promise<Uint8Array> {
  const call = `launch(module.require.bind(module), __dirname, "${name}", "${hash}");`;
  const result = await build({
    ...options,
    stdin: {
      contents: `import { launch } from "./launch.ts";\n${call}`,
      resolveDir: "scripts-src/host",
    },
    banner: { js: "#!/usr/bin/env node" },
  });
  return result.outputFiles[0]?.contents ?? new Uint8Array();
}

const about = JSON.parse(readFileSync("package.json", "utf8"));

/** The furniture of a workspace is text in the scripts. */
export const textFiles = {
  ".md": "text",
  ".gitignore": "text",
  ".sh": "text",
  ".ps1": "text",
} as const;

const options = {
  write: false,
  define: {
    CONSULTA_VERSION: JSON.stringify(about.version),
    // Native helpers that ws would look for in whatever project it is run in: nothing there is run.
    "process.env.WS_NO_BUFFER_UTIL": '"1"',
    "process.env.WS_NO_UTF_8_VALIDATE": '"1"',
  },
  // Its other build hides its modules from the bundler.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minify: true,
  legalComments: "none",
} as const;

async function compile(
  entryPoints: Record<string, string>,
  parts: Map<string, string>,
  files: Map<string, Uint8Array>,
): Promise<void> {
  const outdir = resolve("dist/parts");
  const result = await build({
    ...options,
    entryPoints,
    outdir,
    outExtension: { ".js": ".cjs" },
    // Wrapped here: the launcher would have to copy the whole text to do it.
    banner: { js: "(function(require,module,exports){" },
    footer: { js: "})" },
    loader: textFiles,
    supported: { "dynamic-import": false },
    plugins: [partsPlugin(parts)],
  });
  for (const { path, contents } of result.outputFiles) {
    files.set(join("parts", relative(outdir, path)), contents);
  }
}

function partsPlugin(parts: Map<string, string>): Plugin {
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
        return { path: `./parts/${name}.cjs`, external: true };
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
  for (const skill of skillNames) {
    install(files, `skills/${skill}/scripts`);
    mkdirSync(join("skills", skill, "references"), { recursive: true });
    writeFileSync(join("skills", skill, policyFile), `${geminiPolicy(skill)}\n`);
    writeFileSync(join("skills", skill, settingsFile), `${claudeSettings(skill)}\n`);
  }
  // A colleague with the original ConsultaSkill starts its watchers by their names.
  const watchers = readdirSync("scripts-src/watchers").map(
    (name) => [name, readFileSync(join("scripts-src/watchers", name))] as const,
  );
  install(new Map([...files, ...watchers]), ".consulta/scripts");
  // The rules have one source; the skill carries its own copy.
  cpSync(".consulta/PROTOCOL.md", "skills/consulta/references/PROTOCOL.md");
  // So has the diagram; what it links to does not travel with the skill.
  const states = readFileSync("docs/collaboration.md", "utf8").replace(
    /\[([^\]]+)\]\(\.\.\/[^)]*\)/g,
    "`$1`",
  );
  writeFileSync("skills/collaborate/references/states.md", states);
  rmSync("commands", { recursive: true, force: true });
  for (const [path, content] of packaging()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** What makes this repository a Claude Code plugin, its marketplace, and a Gemini CLI extension. */
function packaging(): [path: string, content: string][] {
  const { name, version, description, license } = about;
  const author = { name: "Consulta contributors" };
  const commands = readdirSync(".claude/commands").map((file) => `./.claude/commands/${file}`);
  const hooks = packagedHooks();
  const inJson = {
    ".claude-plugin/plugin.json": {
      ...{ name, version, description, author, license },
      ...{ commands: commands.sort(), hooks: "./.claude-plugin/hooks.json" },
    },
    ".claude-plugin/marketplace.json": {
      name,
      owner: author,
      metadata: { description, version },
      plugins: [{ name, source: "./", description, version, license }],
    },
    ".claude-plugin/hooks.json": { hooks: hooks.plugin },
    "hooks/hooks.json": { hooks: hooks.extension },
    "gemini-extension.json": { name, version, description },
  };
  const extensionCommands = readdirSync(".gemini/commands").map((file): [string, string] => [
    `commands/${file}`,
    readFileSync(join(".gemini/commands", file), "utf8"),
  ]);
  const manifests = Object.entries(inJson).map(([path, value]): [string, string] => [
    path,
    `${JSON.stringify(value, undefined, 2)}\n`,
  ]);
  return [...manifests, ...extensionCommands];
}
