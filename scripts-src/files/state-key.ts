import { randomBytes } from "node:crypto";
import { orNothing } from "./errno.ts";
import { keyBytes } from "./hash.ts";
import { homeOrNone } from "./home-folder.ts";
import { makeOwnKey, type OwnKey, readOwnKey } from "./user-key.ts";

/**
 * What tells a state that a script of this user saved from one that came with a clone: a forged one
 * would name files to write and words to print.
 */
const stateKey: OwnKey = {
  file: "state.key",
  bytes: keyBytes,
  why: "who has it can forge what your sessions have come to",
};

/** Read once for each home by a process. */
let known: { readonly home: string | undefined; readonly key: Buffer } | undefined;

/** The user's key; undefined where there is none, or none that only the user knows. */
export function readStateKey(): Buffer | undefined {
  const home = homeOrNone();
  if (known?.home !== home) known = keyIn(home, () => readOwnKey(stateKey, home));
  return known?.key;
}

/** Like `readStateKey`, and makes the key where it is missing and can be made. */
export async function makeStateKey(): Promise<Buffer | undefined> {
  const key = readStateKey();
  if (key !== undefined) return key;
  const home = homeOrNone();
  // Once for each user, so no start but this one pays for it.
  known = keyIn(home, () => makeOwnKey(stateKey, randomBytes, home));
  return known?.key;
}

/** Without a key nothing is remembered: every script reads the whole log, which is right, only slow. */
function keyIn(home: string | undefined, read: () => string | undefined): typeof known {
  const key = orNothing(read);
  return key === undefined ? undefined : { home, key: Buffer.from(key, "hex") };
}
