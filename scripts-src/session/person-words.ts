import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { plainWord } from "../base/quote-text.ts";
import { isTime, unreadableTime } from "../base/time.ts";
import { hasSignedFlag, signFlag } from "../files/user-key.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { LogEvent } from "../log/event.ts";
import { pagesOf } from "../log/event-log.ts";
import { personName, readPersonStep } from "../protocol/person-step.ts";
import type { PauseMark, PersonNeed, ReportSection } from "../protocol/protocol.ts";
import { hasStore } from "./place.ts";
import type { Session } from "./session.ts";
import { sharedStores } from "./shared-stores.ts";

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
  return (await sharedStores()).senderProof(folder) === undefined;
}

/** Tells of each word of a log whether it is this user's own, and neither a clone's nor another machine's. */
export async function ownWordsOf({
  place: { folder },
  aside,
}: Pick<Session, "place" | "aside">): Promise<(word: UserWord) => boolean> {
  // A log of the person's own is not read unless it was begun here.
  if (aside === undefined && !isCreatedLocally(folder)) return () => false;
  if (!(await isUnproven(folder))) return () => true;
  return (word) => hasSignedFlag(folder, said, textOf(word));
}

/** Who has paused a session, as its `user` is called, or somebody else in their name; undefined where nobody has. */
export async function pausedBy(session: Session, user: string): Promise<string | undefined> {
  const { pause } = session.state.user;
  if (pause === undefined || !hasStore(session.place.folder)) return pause && user;
  const isOwn = await ownWordsOf(session);
  return isOwn({ ...pause, event: "paused", text: pause.because }) ? user : asTheUser;
}

/** Marks that a word is this user's own, before its event goes where others may write as well. */
export async function markOwnWord(folder: string, word: UserWord): Promise<void> {
  if (await isUnproven(folder)) signFlag(folder, said, textOf(word));
}

const said = "said";

function textOf({ seq, at, event, text }: UserWord): string {
  return JSON.stringify([personName, seq, at, event, text]);
}

/** What the person said and did, from whichever log holds it. */
export interface PersonAct {
  readonly seq: number;
  readonly at: string;
  readonly act: "said" | "answered" | "paused" | "resumed";
  readonly to: readonly string[];
  readonly text: string;
  /** It is this user's own; else a clone, or another machine, may have brought it. */
  readonly isOwn: boolean;
}

/** The person's acts, given the events of the session's own log. */
export async function personActs(
  session: Session,
  events: readonly LogEvent[],
): Promise<PersonAct[]> {
  const isOwn = await ownWordsOf(session);
  const actsIn = (all: readonly LogEvent[]) => all.flatMap((event) => actIn(event, isOwn));
  if (session.aside === undefined) return actsIn(events);
  const acts: PersonAct[] = [];
  for await (const page of pagesOf(session.aside.log)) acts.push(...actsIn(page.events));
  return acts;
}

function actIn(event: LogEvent, isOwnWord: (word: UserWord) => boolean): PersonAct[] {
  const step = readPersonStep(event);
  const { seq, at } = event;
  if (step === undefined || step.event === "heard") return [];
  const about = { seq, at, act: step.event, isOwn: isOwnWord(wordIn(event)) };
  if (step.event === "resumed") return [{ ...about, to: [], text: "" }];
  if (step.event === "paused") return [{ ...about, to: [], text: step.because }];
  return [{ ...about, to: step.to, text: step.text }];
}

/** The same in a report; nothing where the person only looked on. */
export function personSection(acts: readonly PersonAct[]): ReportSection[] {
  if (acts.length === 0) return [];
  const shown = acts.slice(-limits.reportPoints);
  const more = acts.length - shown.length;
  const lines = shown.map(({ at, act, to, text, isOwn }) => {
    const whom = to.length === 0 ? "" : ` to ${to.join(" and ")}`;
    const words = text === "" ? "" : `: ${inline(text, limits.reportPointCharacters)}`;
    const who = isOwn ? "you" : asTheUser;
    return `- ${at}: ${who} ${act}${whom}${words}`;
  });
  const earlier = more > 0 ? [`- ${more} earlier`] : [];
  const heading = shown.every(({ isOwn }) => isOwn)
    ? "What you said and did"
    : "What was said and done as the user";
  return [{ heading, lines: [...earlier, ...lines] }];
}

/** What people are told of a pause: by whom, an honest scope, and who has not reached it. */
export function pausedText({ at, because, held, stillBusy }: PauseMark, by = "you"): string {
  const why = because === "" ? "" : ` (${inline(because)})`;
  const next = held.filter((name) => !stillBusy.includes(name));
  const parts = [
    `paused by ${by} since ${minuteText(at)}${why}: no further turn is given`,
    ...(stillBusy.length === 0
      ? []
      : [`not at the pause yet, may end its turn: ${namesText(stillBusy)}`]),
    ...(next.length === 0 ? [] : [`waits for you to resume: ${namesText(next)}`]),
  ];
  return parts.join("; ");
}

/** `2026-04-22 14:35 UTC`: people read no milliseconds. */
function minuteText(at: string): string {
  return isTime(at) ? `${at.slice(0, 10)} ${at.slice(11, 16)} UTC` : unreadableTime;
}

/** What waits for the person, in one line; the words in it are a participant's. */
export function needText({ wants, text }: PersonNeed): string {
  const what = {
    answer: "waits for your answer",
    decision: "waits for your decision",
    "way out": "is blocked and waits for you",
  };
  return text === "" ? what[wants] : `${what[wants]}: ${inline(text)}`;
}

function namesText(names: readonly string[]): string {
  return names.map(plainWord).join(" and ");
}
