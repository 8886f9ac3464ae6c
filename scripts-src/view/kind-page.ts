import type { LogEvent } from "../log/event.ts";
import type { Told } from "./live-story.ts";
import type { Item, Moment, Part, Trail, Words } from "./page/model.ts";
import { readMarkdown } from "./read-markdown.ts";

/** What the page shows of one kind of session beside what all kinds have. */
export interface KindPage {
  /** What happened, in order. */
  items(told: Told): Item[];
  moments(items: readonly Item[]): Moment[];
  part(told: Told): Promise<Part>;
  /** How sure each participant said that it was. */
  confidence(told: Pick<Told, "machine">): Trail[];
  /** The whole text of an item that is an event. */
  body(told: Told, event: LogEvent): string | undefined;
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
export function firstLine(text: string): string {
  const line = text
    .slice(0, 4_000)
    .split("\n")
    .map((it) => it.replace(/^[\s#>*-]+/, "").trim())
    .find((it) => it !== "" && !it.startsWith("```"));
  if (line === undefined) return "";
  return line.length > summaryCharacters ? `${line.slice(0, summaryCharacters).trimEnd()}…` : line;
}
