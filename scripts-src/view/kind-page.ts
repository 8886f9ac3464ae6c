import type { Clock } from "../base/clock.ts";
import type { LogEvent } from "../log/event.ts";
import type { Item, Moment, Part, Trail, Words } from "./page/model.ts";
import { readMarkdown } from "./read-markdown.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** One thing that happened; its item is made where it is shown. */
export interface Happening {
  readonly seq: number;
  readonly at: string;
  readonly by: string;
  /** Why it is worth a look, for the scrubber. */
  readonly moment?: Omit<Moment, "seq"> | undefined;
  item(): Item;
}

/** What the page shows of one kind of session beside what all kinds have. */
export interface KindPage {
  /** What happened, in order: what follows from the point alone, and from no file. */
  happenings(point: StoryPoint): Happening[];
  part(point: StoryPoint, clock: Clock): Promise<Part>;
  /** How sure each participant said that it was. */
  confidence(point: Pick<StoryPoint, "machine">): Trail[];
  /** The whole text of an item that is an event. */
  body(point: StoryPoint, event: LogEvent): string | undefined;
}

/** A body that is longer is fetched when somebody unfolds it. */
export const bodyCharacters = 12_000;

/** A text as the model holds it, and how much of it is left out. */
export function shortBody(text: string): { body: Words; more: number } {
  const body = readMarkdown(text.slice(0, bodyCharacters).toWellFormed());
  return { body, more: Math.max(0, text.length - bodyCharacters) };
}

const summaryCharacters = 160;

/** The first line of a text that says something, for a list. */
export function summaryOf(text: string): string {
  const line = text
    .slice(0, 4_000)
    .split("\n")
    .map((it) => it.replace(/^[\s#>*-]+/, "").trim())
    .find((it) => it !== "" && !it.startsWith("```"));
  if (line === undefined) return "";
  return line.length > summaryCharacters ? `${line.slice(0, summaryCharacters).trimEnd()}…` : line;
}
