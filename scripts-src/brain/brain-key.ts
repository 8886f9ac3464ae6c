import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { createFileExclusively } from "../store/atomic-file.ts";
import { readOwnFile } from "../store/own-file.ts";
import { ensureFolder } from "../store/safe-path.ts";

/**
 * What a brain of this user knows and a repository cannot: an `endpoint.json` may come with a clone
 * and lead anywhere. A client asks with a challenge at the door, and believes nobody without the
 * right answer.
 */
export type BrainKey = string;

/** A client asks in the one and is answered in the other, both in the upgrade. */
export const challengeHeader = "consulta-challenge";
export const proofHeader = "consulta-proof";

const keyBytes = 32;
const fileBytes = 256;

function keyPath(home: string): string {
  return join(home, ".consulta", "brain.key");
}

/**
 * The user's key, undefined before the first brain made it.
 * @throws ConsultaError REFUSED when others may know or change it.
 */
export function readBrainKey(home = homedir()): BrainKey | undefined {
  const path = keyPath(home);
  const text = readOwnFile(path, fileBytes, "who has it passes for your brain", 0o077)?.trim();
  if (text === undefined || /^[0-9a-f]{64}$/.test(text)) return text;
  throw new ConsultaError("REFUSED", `${path} holds no key: remove it, the brain makes one`);
}

/** @throws ConsultaError as `readBrainKey`, and UNAVAILABLE when the disk refuses. */
export function makeBrainKey(home = homedir()): BrainKey {
  const known = readBrainKey(home);
  if (known !== undefined) return known;
  const path = keyPath(home);
  ensureFolder(dirname(path));
  createFileExclusively(path, `${randomBytes(keyBytes).toString("hex")}\n`);
  // Of two that made one at the same time, the one that has the name counts.
  const made = readBrainKey(home);
  if (made !== undefined) return made;
  throw new ConsultaError("UNAVAILABLE", `${path} was removed just now; run this again`);
}

/** A question that was never asked before. */
export function newChallenge(): string {
  return randomBytes(16).toString("hex");
}

/** The answer, also bound to the brain that is meant: the token is known to nobody else. */
export function proofOf(key: BrainKey, token: string, challenge: string): string {
  return createHmac("sha256", key).update(`brain ${token} ${challenge}`).digest("hex");
}

/** By which a brain knows a database again: one that came with a clone may say anything. */
export function databaseProof(key: BrainKey, id: string): string {
  return createHmac("sha256", key).update(`database ${id}`).digest("hex");
}

export function isProof(given: unknown, expected: string): boolean {
  if (typeof given !== "string" || given.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
