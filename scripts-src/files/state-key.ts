import { orNothing } from "./errno.ts";
import { makeOwnKey, type OwnKey, readOwnKey } from "./own-key.ts";
import { sipHashKeyBytes } from "./sip-hash.ts";

/**
 * What tells a state that a script of this user saved from one that came with a clone: a forged one
 * would name files to write and words to print.
 */
const stateKey: OwnKey = {
  file: "state.key",
  bytes: sipHashKeyBytes,
  why: "who has it can forge what your sessions have come to",
};

/** Read once by each process. */
let known: Buffer | undefined;

/** The user's key; undefined where there is none, or none that only the user knows. */
export function readStateKey(): Buffer | undefined {
  known ??= bytesOf(() => readOwnKey(stateKey));
  return known;
}

/** Like `readStateKey`, and makes the key where it is missing and can be made. */
export async function makeStateKey(): Promise<Buffer | undefined> {
  if (readStateKey() !== undefined) return known;
  // Once for each user, so no start but this one pays for it.
  const { randomBytes } = await import("node:crypto");
  known = bytesOf(() => makeOwnKey(stateKey, randomBytes));
  return known;
}

/** Without a key nothing is remembered: every script reads the whole log, which is right, only slow. */
function bytesOf(read: () => string | undefined): Buffer | undefined {
  const key = orNothing(read);
  return key === undefined ? undefined : Buffer.from(key, "hex");
}
