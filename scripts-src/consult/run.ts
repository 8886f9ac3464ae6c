import type { Clock } from "../base/clock.ts";
import type { AllowedCheck } from "../evidence/allowed-checks.ts";
import type { NextAction } from "../session/next-action.ts";
import type { Place } from "../session/place.ts";
import type { Driver } from "./driver.ts";

/** A session that is being run, with all that its turns need. */
export interface Run {
  readonly place: Place;
  /** The folder that the participants work in. */
  readonly project: string;
  readonly drivers: ReadonlyMap<string, Driver>;
  /** Participants in other terminals, or on other machines: what they say is waited for. */
  readonly elsewhere: ReadonlySet<string>;
  /** The folder of the running scripts. */
  readonly scripts: string;
  readonly clock: Clock;
  /** What `next-action` found, in words for the participant. */
  readonly describe: (next: NextAction) => string;
  /** Frames a text of the participants as data. */
  readonly quote: (what: string, text: string) => string;
  readonly progress: Progress;
  /** The conversation in which each participant goes on. */
  readonly conversations: Map<string, string>;
  /** Commands that the user allowed, for the participants that cannot run them. */
  readonly allowedChecks: readonly AllowedCheck[];
  /** Claims that nobody could look at for a participant, so that it is said once. */
  readonly unlooked: Set<string>;
}

/** How a run tells what goes on: line by line, or on a screen that is drawn again. */
export interface Progress {
  /** Something that is no event of the log. What a screen shows anyway is `routine`. */
  note(text: string, weight?: "routine"): void;
  /** The check that runs now; "" when it is over. */
  checking(what: string): void;
  /** Tells of events as they come, until it is stopped. */
  follow(): Promise<() => Promise<void>>;
  /** Tells the events that came since the last time. */
  showNews(): Promise<void>;
}
