import type { Clock } from "../base/clock.ts";
import type { AllowedCheck } from "../evidence/allowed-checks.ts";
import type { NextAction } from "../session/next-action.ts";
import type { Place } from "../session/place.ts";
import type { Driver } from "./driver.ts";
import type { Progress } from "./progress.ts";

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
