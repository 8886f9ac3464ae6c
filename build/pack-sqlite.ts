import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import { type Plugin, transform } from "esbuild";
import { sha256 } from "../scripts-src/files/hash.ts";
import { sqliteFile } from "../scripts-src/script/launch.ts";

const place = "node_modules/node-sqlite3-wasm";

/** The bundle takes the package from the file beside it. */
export const sqlitePlugin: Plugin = {
  name: "sqlite",
  setup({ onResolve }) {
    const beside = { path: `./${sqliteFile}`, external: true };
    onResolve({ filter: /^node-sqlite3-wasm$/ }, () => beside);
  },
};

/** What that file is in a skill that has it from the skill `brain`; `install` knows the other by its digest. */
export function sqliteElsewhere(packed: Uint8Array): Uint8Array {
  return Buffer.from(
    `/*${sha256(packed)}*/module.exports = require("../../brain/scripts/${sqliteFile}");\n`,
  );
}

/** A tenth larger than at the highest quality, which takes ten times as long. */
const params = {
  [constants.BROTLI_PARAM_QUALITY]: 9,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
};

/** The package in one file, its WebAssembly compressed. */
export async function packSqlite(): Promise<Uint8Array> {
  const { version, license, author } = JSON.parse(readFileSync(`${place}/package.json`, "utf8"));
  const script = readFileSync(`${place}/dist/node-sqlite3-wasm.js`, "utf8");
  const wasm = readFileSync(`${place}/dist/node-sqlite3-wasm.wasm`);
  const text = brotliCompressSync(wasm, { params }).toString("base64");
  // What the script finds: its WebAssembly, and a decoder that keeps a byte order mark, which a text may begin with.
  const banner = `/*node-sqlite3-wasm ${version}, ${license}, ${author}*/
    var Module={wasmBinary:require("node:zlib").brotliDecompressSync(Buffer.from("${text}","base64"))};
    const TextDecoder=class extends globalThis.TextDecoder{
      constructor(){super("utf-8",{ignoreBOM:true})}
    };`.replace(/\n\s*/g, "");
  const { code } = await transform(script, { banner, minify: true, target: "node20" });
  return Buffer.from(code);
}
