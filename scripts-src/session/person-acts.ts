import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { LogEvent } from "../log/event.ts";
import { readPersonStep } from "../protocol/person-step.ts";
import type { ReportSection } from "../protocol/protocol.ts";
import { asTheUser, ownWordsOf, type UserWord, wordIn } from "./person-authorship.ts";
import { pagesOf } from "./replay.ts";
import type { Session } from "./session.ts";

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
  for await (const page of pagesOf(session.aside)) acts.push(...actsIn(page.events));
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
