import { hashEngine } from "./hash-engine.ts";

/** SHA-256 (FIPS 180-4) in hex, of a line; what hashes much loads node:crypto. */
export function lineHash(bytes: Uint8Array): string {
  const { shaStart, shaBlock, shaWord } = hashEngine();
  const blocks = padded(bytes);
  shaStart();
  for (let at = 0; at < blocks.byteLength; at += 64) shaBlock(...wordsOf(blocks, at));
  let hash = "";
  for (let index = 0; index < 8; index += 1)
    hash += (shaWord() >>> 0).toString(16).padStart(8, "0");
  return hash;
}

/** The bytes, a bit that ends them, zeros, and their length in bits: whole blocks of 64 bytes. */
function padded(bytes: Uint8Array): DataView {
  const { length } = bytes;
  const blocks = new Uint8Array(((length + 8) & ~63) + 64);
  blocks.set(bytes);
  blocks[length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 8, Math.floor(length / 0x2000_0000));
  view.setUint32(blocks.length - 4, length << 3);
  return view;
}

function wordsOf(blocks: DataView, at: number): number[] {
  const words: number[] = [];
  for (let index = at; index < at + 64; index += 4) words.push(blocks.getInt32(index));
  return words;
}
