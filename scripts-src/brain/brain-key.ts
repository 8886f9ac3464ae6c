import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { makeOwnKey, type OwnKey, readOwnKey } from "../files/user-key.ts";

/**
 * What a brain of this user knows and a repository cannot: an `endpoint.json` may come with a clone
 * and lead anywhere. A client asks with a challenge at the door, and believes nobody without the
 * right answer.
 */
export type BrainKey = string;

/** A client asks in the one and is answered in the other, both in the upgrade. */
export const challengeHeader = "consulta-challenge";
export const proofHeader = "consulta-proof";

const brainKey: OwnKey = {
  file: "brain.key",
  bytes: 32,
  why: "who has it passes for your brain",
};

/**
 * The user's key, undefined before the first brain made it.
 * @throws ConsultaError REFUSED when others may know or change it.
 */
export function readBrainKey(home?: string): BrainKey | undefined {
  return readOwnKey(brainKey, home);
}

/** @throws ConsultaError as `readBrainKey`, and UNAVAILABLE when the disk refuses. */
export function makeBrainKey(home?: string): BrainKey {
  return makeOwnKey(brainKey, randomBytes, home);
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
