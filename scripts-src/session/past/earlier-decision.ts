import type { Place } from "../place.ts";

/** How a session that has ended answered the question that a new one asks. */
export interface EarlierDecision {
  readonly place: Place;
  readonly topic: string;
  /** ISO date, or that nobody knows it. */
  readonly date: string;
  /** Whether it was left to nobody else. */
  readonly decided: boolean;
  /** How it came about: words of ours. */
  readonly outcome: string;
  /** What its participants said: data. */
  readonly text: string;
}
