import { createHash } from "node:crypto";
import { lineHash } from "../base/line-hash.ts";

/** Loading node:crypto takes a short script 6 ms, in which cold code hashes this much. */
let coldBytes = 65_536;

/** SHA-256 (FIPS 180-4) of a text or of bytes. */
export function sha256(data: string | Uint8Array, as: "hex" | "base64" = "hex"): string {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  if (bytes.length > coldBytes) return createHash("sha256").update(bytes).digest(as);
  coldBytes -= bytes.length;
  return Buffer.from(lineHash(bytes), "hex").toString(as);
}
