import { createFileExclusively } from "../files/atomic-file.ts";
import { childPath } from "../files/child-path.ts";
import { existsSync } from "../files/disk.ts";
import { syncFolder } from "../files/regular-file.ts";
import { sipHash } from "../files/sip-hash.ts";
import { makeStateKey, readStateKey } from "../files/state-key.ts";
import { isBegunHere } from "../log/begun-here.ts";
import type { LogEvent } from "../log/event.ts";
import { personName } from "../protocol/person-step.ts";
import { hasStore } from "../remote/store-mark.ts";
import type { Session } from "./session.ts";

/**
 * Whose words a log has as the user's. Of a log on this machine that its user began they are the user's,
 * for only scripts write there. Where several machines share it, and nothing proves who wrote what, any
 * of them may have written them: then only those count that a mark shows to be from here.
 */

/** What a log has of something that the user said or did. */
export interface UserWord {
  readonly seq: number;
  readonly at: string;
  readonly event: string;
  readonly text: string;
}

/** What is to be said of a session that is unproven, wherever it is told. */
export const unprovenText = "who wrote what is not authenticated";

/** The word of an event of the person, whatever it does. */
export function wordIn({ seq, at, event, text, because, decision }: LogEvent): UserWord {
  const said = [text, because, decision].find((it) => typeof it === "string") ?? "";
  return { seq, at, event, text: String(said) };
}

/** Whether any machine that shares a session may write as anybody, its user included. */
export async function isUnproven(folder: string): Promise<boolean> {
  if (!hasStore(folder)) return false;
  const { provenSender } = await import("../remote/store-entry.ts");
  return provenSender(folder) === undefined;
}

/** Tells of each word of a log whether it is this user's own, and neither a clone's nor another machine's. */
export async function ownWordsOf({
  place: { folder },
  aside,
}: Pick<Session, "place" | "aside">): Promise<(word: UserWord) => boolean> {
  // A log of the person's own is not read unless it was begun here.
  if (aside === undefined && !isBegunHere(folder)) return () => false;
  if (!(await isUnproven(folder))) return () => true;
  const key = readStateKey();
  return (word) => key !== undefined && existsSync(markPath(folder, key, word));
}

/**
 * Marks that a word is this user's own, before its event goes where others may write as well: as
 * `markBegun` does, an empty file whose name proves it under the user's key. A word that is not stored
 * after that leaves a mark that fits nothing.
 */
export async function markOwnWord(folder: string, word: UserWord): Promise<void> {
  if (!(await isUnproven(folder))) return;
  const key = await makeStateKey();
  if (key === undefined) return;
  createFileExclusively(markPath(folder, key, word), "", { sync: "nothing" });
  syncFolder(folder);
}

function markPath(folder: string, key: Uint8Array, { seq, at, event, text }: UserWord): string {
  const word = JSON.stringify([personName, seq, at, event, text]);
  return childPath(folder, `.said-${sipHash(key, Buffer.from(word))}`);
}
