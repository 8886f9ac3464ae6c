import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeScratchFolder } from "../scratch-folder.ts";

const registration = "scripts-src/session/kinds.ts";

/** One line in each table of the registration: all that names the toy outside of its folder. */
const entries: readonly [table: string, entry: string][] = [
  [
    "const kinds = {",
    'toy: { begins: "vote_opened", load: async () => kindOf((await import("../../test/toy-kind/toy.ts")).toy) },',
  ],
  [
    "const openers = {",
    'toy: async () => (await import("../../test/toy-kind/toy-opener.ts")).toyOpener,',
  ],
  [
    "const consultKinds = {",
    'toy: async () => (await import("../../test/toy-kind/consult-toy.ts")).consultToy,',
  ],
];

/** Builds all scripts, with the toy kind registered, in a copy of the sources; returns their folder. */
export function buildWithToy(): { folder: string; scripts: string } {
  const folder = makeScratchFolder();
  const sources = [
    "scripts-src",
    "test/toy-kind",
    "build.ts",
    "build",
    "package.json",
    ".consulta",
  ];
  for (const path of sources) {
    if (existsSync(path)) cpSync(path, join(folder, path), { recursive: true });
  }
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  let text = readFileSync(registration, "utf8");
  for (const [table, entry] of entries) {
    if (!text.includes(table)) throw new Error(`${registration} has no ${table}`);
    text = text.replace(table, `${table}\n  ${entry}`);
  }
  writeFileSync(join(folder, registration), text);
  const line =
    'import { mkdirSync } from "node:fs"; import { compileScripts, install } from "./build.ts"; ' +
    'mkdirSync("dist"); install(await compileScripts(), "dist");';
  writeFileSync(join(folder, "build-toy.mts"), line);
  const words = ["--import", "tsx", "build-toy.mts"];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return { folder, scripts: join(folder, "dist") };
}
