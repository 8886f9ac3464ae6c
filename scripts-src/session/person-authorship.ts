import { hasProvedMark, makeProvedMark } from "../files/signed-flag.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { LogEvent } from "../log/event.ts";
import { personName } from "../protocol/person-step.ts";
import { provenSender } from "../remote/store-entry.ts";
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

/** Who it is that said or did what is not this user's own. */
export const asTheUser = "somebody as the user";

/** The word of an event of the person, whatever it does. */
export function wordIn({ seq, at, event, text, because, decision }: LogEvent): UserWord {
  const said = [text, because, decision].find((it) => typeof it === "string") ?? "";
  return { seq, at, event, text: String(said) };
}

/** Whether any machine that shares a session may write as anybody, its user included. */
export async function isUnproven(folder: string): Promise<boolean> {
  if (!hasStore(folder)) return false;
  return provenSender(folder) === undefined;
}

/** Tells of each word of a log whether it is this user's own, and neither a clone's nor another machine's. */
export async function ownWordsOf({
  place: { folder },
  aside,
}: Pick<Session, "place" | "aside">): Promise<(word: UserWord) => boolean> {
  // A log of the person's own is not read unless it was begun here.
  if (aside === undefined && !isCreatedLocally(folder)) return () => false;
  if (!(await isUnproven(folder))) return () => true;
  return (word) => hasProvedMark(folder, said, textOf(word));
}

/** Who paused a session, as its `user` is called; somebody else where it is not this user's own pause. */
export async function whoPaused(session: Session, user: string): Promise<string> {
  const { pause } = session.machine.person();
  if (pause === undefined || !hasStore(session.place.folder)) return user;
  const isOwn = await ownWordsOf(session);
  return isOwn({ ...pause, event: "paused", text: pause.because }) ? user : asTheUser;
}

/** Marks that a word is this user's own, before its event goes where others may write as well. */
export async function markOwnWord(folder: string, word: UserWord): Promise<void> {
  if (await isUnproven(folder)) await makeProvedMark(folder, said, textOf(word));
}

const said = "said";

function textOf({ seq, at, event, text }: UserWord): string {
  return JSON.stringify([personName, seq, at, event, text]);
}
