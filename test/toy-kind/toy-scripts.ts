import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeScratchFolder } from "../scratch-folder.ts";

const registration = "scripts-src/session/kinds.ts";
const ofConsult = "scripts-src/consult/registered-kinds.ts";

/** One line in each table of the registration: all that names the toy outside of its folder. */
const entries: readonly [file: string, table: string, entry: string][] = [
  [
    registration,
    "const kinds = {",
    `toy: {
      begins: "vote_opened",
      load: async () => withPerson((await import("../../test/toy-kind/toy.ts")).toy),
      opener: async () => (await import("../../test/toy-kind/toy-opener.ts")).toyOpener,
    },`,
  ],
  [
    ofConsult,
    "() => Promise<ConsultKind>>> = {",
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
  for (const [file, table, entry] of entries) {
    const text = readFileSync(join(folder, file), "utf8");
    if (!text.includes(table)) throw new Error(`${file} has no ${table}`);
    writeFileSync(join(folder, file), text.replace(table, `${table}\n  ${entry}`));
  }
  const line =
    'import { mkdirSync } from "node:fs"; import { compileScripts, install } from "./build.ts"; ' +
    'mkdirSync("dist"); install(await compileScripts(), "dist");';
  writeFileSync(join(folder, "build-toy.mts"), line);
  const words = ["--import", "tsx", "build-toy.mts"];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return { folder, scripts: join(folder, "dist") };
}
