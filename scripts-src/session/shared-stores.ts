import { type ConsultaError, refused } from "../base/errors.ts";
import type { EventLog } from "../log/event-log.ts";
import type { FileEventLogOptions } from "../log/file-event-log.ts";
import type { Arguments } from "../script/arguments.ts";
import type { Place } from "./place.ts";

/** What sessions use of the stores that machines share. */
export interface SharedStores {
  /** The log of a session that has a store, which brings the person's own log with it where there is one. */
  openLog(place: Place, options: SharedLogOptions): Promise<EventLog>;
  /** The person's own log beside it. */
  openPersonLog(place: Place): Promise<EventLog>;
  /**
   * The store that a text asks for, as `--store` has it.
   * @throws ConsultaError REFUSED where it may not be used: by an agent only what its user has named.
   */
  choose(args: Arguments, asked: string, purpose: StorePurpose): Promise<ChosenStore>;
  /** What proves who wrote each event of the session in a folder; undefined where nothing does. */
  senderProof(folder: string): string | undefined;
  /** How a session comes back whose folder is gone here; undefined where nobody knows of it. */
  wayBack(id: string, project: string): string | undefined;
}

export interface SharedLogOptions extends FileEventLogOptions {
  readonly hasAside?: boolean;
}

/** Whether a store is to be sent to, as the command line or a project's config names it, or only looked at. */
export type StorePurpose = "send" | "config" | "look";

/** A store that was asked for and may be used. */
export interface ChosenStore {
  /**
   * Notes that the session which is about to begin at a place is kept there; undefined where one of that name is.
   * @throws ConsultaError REFUSED for a name that it does not take; UNAVAILABLE when it is out of reach.
   */
  begin(place: Place, id: string): Promise<BegunThere | undefined>;
  /** Says that a session of that name is there already, and how to join it. */
  taken(id: string): ConsultaError;
  /** How another machine comes into a session. */
  invitation(id: string): string[];
  /**
   * Brings a session of it, log and documents, into a workspace. The user wants it, so it counts as begun here. The
   * same call again goes on where one stopped. Returns whether it was joined before.
   * @throws ConsultaError REFUSED where there is no such session, another of that name is here, or it does not
   * go on from what was seen of it here; UNAVAILABLE when the store is out of reach.
   */
  join(place: Place): Promise<{ readonly repeated: boolean }>;
  /** Its sessions that are neither in a workspace nor in a folder of their own, each with the line to join it. */
  notJoined(inWorkspace: readonly string[]): Promise<{ id: string; join: string }[]>;
}

/** What was noted of a session that is about to begin. */
export interface BegunThere {
  /** Its folder was made under a draft's name and has its own now. */
  movedTo(folder: string): void;
  /** Takes the note back of a session that did not begin. */
  orForget(): void;
}

/** The registration: without its line sessions are kept in files alone. */
const registered: readonly (() => Promise<SharedStores>)[] = [
  async () => (await import("../remote/shared-stores.ts")).sharedStores,
];

export async function sharedStores(): Promise<SharedStores> {
  const [load] = registered;
  if (load !== undefined) return load();
  throw refused("this Consulta keeps sessions in files alone: leave --store out");
}

export async function wayBack(id: string, project: string): Promise<string | undefined> {
  return (await registered[0]?.())?.wayBack(id, project);
}
