import { isoSecond, millisecondsOf } from "../../base/time.ts";
import type { BrainStore, Snapshot } from "../rules/brain-store.ts";
import { brainLimits } from "../rules/limits.ts";
import type { SessionState } from "./session-state.ts";

/** A CLI tells of the session that a clear begins as soon as it has told of the end of the old one. */
const clearMs = 60_000;

/** Which session's snapshot a session goes on from. */
export class Restores {
  readonly #store: BrainStore;
  /** The session that was cleared last in each CLI. */
  readonly #cleared = new Map<string, { readonly session: string; readonly at: string }>();

  constructor(store: BrainStore) {
    this.#store = store;
  }

  ended({ session, cli }: SessionState, source: string | undefined, at: string): void {
    if (source === "clear" && cli !== undefined) this.#cleared.set(cli, { session, at });
  }

  /**
   * The session whose snapshot another one gets at its start; undefined when it has all of it, or
   * when there is none.
   */
  of(state: SessionState, source: string | undefined, at: string): string | undefined {
    // A history that was resumed is all there.
    if (source === "resume" || source === "fork") return undefined;
    if (source === "compact") return state.session;
    return (source === "clear" ? this.#ofCleared(state, at) : undefined) ?? this.#before(state, at);
  }

  #ofCleared({ session, cli = "" }: SessionState, at: string): string | undefined {
    const cleared = this.#cleared.get(cli);
    this.#cleared.delete(cli);
    if (cleared === undefined || cleared.session === session) return undefined;
    const isLongAgo = millisecondsOf(at) - millisecondsOf(cleared.at) > clearMs;
    return isLongAgo ? undefined : this.#store.snapshotOf(cleared.session)?.session;
  }

  /** The newest of another session of the project, in whichever CLI that was. */
  #before({ session }: SessionState, at: string): string | undefined {
    const since = isoSecond(millisecondsOf(at) - brainLimits.restoreDays * 86_400_000);
    return this.#store.latestSnapshot(session, since)?.session;
  }
}

/** The snapshot of `from` as a session is given it. */
export function snapshotFor(
  store: BrainStore,
  session: string,
  from: string,
): Snapshot | undefined {
  const snapshot = store.snapshotOf(from);
  if (snapshot === undefined || from !== session) return snapshot;
  // Its CLI has just put a summary of its own into the context: an older one says nothing more.
  const { summary: _, ...content } = snapshot.content;
  return { ...snapshot, content };
}
