import { join } from "node:path";
import type { EventLog, LogFollower } from "../../log/event-log.ts";
import { hasStore } from "../../remote/store-mark.ts";
import { systemClock } from "../../script/clock.ts";
import { type Place, placeIn } from "../place.ts";
import { loadSession, type Session, sessionIds } from "../session.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { forgetElsewhere, markElsewhere } from "./presence.ts";

/** A log and who waits for what comes into it; undefined for who has no name in the session. */
interface Followed {
  readonly log: EventLog;
  readonly place: Pick<Place, "folder" | "workspace">;
  readonly participant: string | undefined;
  /** See `LogFollower`. */
  readonly isUnhurried?: boolean;
}

/**
 * Brings in what other machines append, while somebody here waits for it; those who wait there are
 * present here, as far as the store tells.
 */
export class FollowedLogs {
  #stops: (() => Promise<void>)[] = [];
  #fault: Error | undefined;

  /**
   * `notice` is called when nothing more comes, and when it does again: `check` says why not; `onLost` as a
   * `LogFollower` has it.
   */
  async begin(
    logs: readonly Followed[],
    notice: () => void,
    onLost?: LogFollower["onLost"],
  ): Promise<void> {
    for (const { log, place, participant, isUnhurried } of logs) {
      const others = new ElsewherePresence(place);
      const stop = await log.follow({
        participant,
        isUnhurried,
        onFault: (fault) => {
          this.#fault = fault;
          notice();
        },
        onAttending: (names) => others.note(names),
        onLost,
      });
      this.#stops.push(async () => {
        await stop();
        others.note([]);
      });
    }
  }

  /** Why nothing more comes of a log; undefined while all is well. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** @throws ConsultaError REFUSED where a log is not what it was; what else ended a watch, as it is. */
  check(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  async end(): Promise<void> {
    const stops = this.#stops;
    this.#stops = [];
    await Promise.all(stops.map((stop) => stop()));
  }
}

/** Those who wait on other machines, as this process last heard. */
class ElsewherePresence {
  readonly #place: Followed["place"];
  #names: readonly string[] = [];

  constructor(place: Followed["place"]) {
    this.#place = place;
  }

  note(names: readonly string[]): void {
    for (const name of this.#names) if (!names.includes(name)) forgetElsewhere(this.#place, name);
    for (const name of names) markElsewhere(this.#place, name, systemClock.now());
    this.#names = names;
  }
}

/** The sessions of a workspace that other machines share, and that go on. */
export async function sharedSessions(workspace: Workspace): Promise<Session[]> {
  const ids = sessionIds(workspace).filter((id) => hasStore(join(workspace.root, "sessions", id)));
  const sessions = await Promise.all(ids.map((id) => loadSession(placeIn(workspace, id))));
  return sessions.filter(({ machine }) => !machine.standing().ended);
}
