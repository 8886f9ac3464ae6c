import type { Clock } from "../base/clock.ts";
import type { AllowedCheck } from "../evidence/consent.ts";
import type { Place } from "../session/place.ts";
import { type Session, standingOf } from "../session/session.ts";
import type { Auditors, Driver } from "./driver.ts";
import { isElsewhere, type ParticipantSpec } from "./participants.ts";

/** A session with all that runs its participants. */
export interface Consultation {
  readonly session: Session;
  readonly specs: readonly ParticipantSpec[];
  readonly drivers: ReadonlyMap<string, Driver>;
  readonly auditors: Omit<Auditors, "driverOf">;
}

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
  readonly progress: Progress;
  /** The conversation in which each participant goes on. */
  readonly conversations: Map<string, string>;
  /** Commands that the user allowed, for the participants that cannot run them. */
  readonly allowedChecks: readonly AllowedCheck[];
  /** Whether it goes on by itself when a quota that was used up is renewed. */
  readonly waitsForQuota: boolean;
  readonly auditors: Auditors;
  /** Messages with a decision of which no audit came: it is not tried again. */
  readonly unaudited: Set<number>;
  /** Claims that nobody could look at for a participant, so that it is said once. */
  readonly unlooked: Set<string>;
}

/** Begins to run a session, and says which. */
export function runOf(
  { session, specs, drivers, auditors }: Consultation,
  means: Pick<Run, "scripts" | "clock" | "progress" | "allowedChecks" | "waitsForQuota">,
): Run {
  const { place } = session;
  const who = specs.map(({ name, driver }) => `${name} (${driver})`).join(", ");
  const { summary } = standingOf(session);
  means.progress.note(`session ${place.id}: ${who}${who === "" ? "" : "; "}${summary}`, "routine");
  return {
    ...means,
    place,
    project: place.workspace?.project ?? process.cwd(),
    drivers,
    elsewhere: new Set(specs.filter(isElsewhere).map(({ name }) => name)),
    conversations: new Map(),
    unlooked: new Set(),
    auditors: {
      ...auditors,
      driverOf: (name) => specs.find((it) => it.name === name)?.driver ?? name,
    },
    unaudited: new Set(),
  };
}

/** How a run tells what goes on: line by line, or on a screen that is drawn again. */
export interface Progress {
  /** Something that is no event of the log. What a screen shows anyway is `routine`. */
  note(text: string, weight?: "routine"): void;
  /** The check that runs now; "" when it is over. */
  checking(what: string): void;
  /** What a participant does in its turn; "" when that is over. */
  working(participant: string, doing: string): void;
  /** Tells of events as they come, until it is stopped. */
  follow(): Promise<() => Promise<void>>;
  /** Tells the events that came since the last time. */
  showNews(): Promise<void>;
}
