import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** SHA-256 (FIPS 180-4) of a text or of bytes. */
export function sha256(data: string | Uint8Array, as: "hex" | "base64" = "hex"): string {
  return createHash("sha256").update(data).digest(as);
}

/** HMAC-SHA-256, cut to 128 bits, in hex: who lacks the key cannot make it for other bytes. */
export function keyedHash(key: string, bytes: string | Uint8Array): string {
  return createHmac("sha256", key).update(bytes).digest("hex").slice(0, 32);
}

/** Takes as long for any two texts of one length, whether they differ early, late or nowhere. */
export function isSameText(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
