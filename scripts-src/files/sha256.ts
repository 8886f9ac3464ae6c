import { createHash } from "node:crypto";

/** SHA-256 (FIPS 180-4) of a text or of bytes. */
export function sha256(data: string | Uint8Array, as: "hex" | "base64" = "hex"): string {
  return createHash("sha256").update(data).digest(as);
}
