import { join } from "node:path";
import type { ConsultaError } from "../../base/errors.ts";
import type { EventLog } from "../../log/event-log.ts";
import { hasStore } from "../../remote/store-mark.ts";
import { placeIn } from "../place.ts";
import { loadSession, sessionIds } from "../session.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Brings in what other machines append, while somebody here waits for it. */
export class FollowedLogs {
  #stops: (() => Promise<void>)[] = [];
  #fault: ConsultaError | undefined;

  /** `notice` is called when nothing more can come: `check` then says why. */
  async begin(logs: readonly EventLog[], notice: () => void): Promise<void> {
    for (const log of logs) {
      const stop = await log.follow((fault) => {
        this.#fault = fault;
        notice();
      });
      this.#stops.push(stop);
    }
  }

  /** @throws ConsultaError REFUSED where a log is not what it was. */
  check(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  async end(): Promise<void> {
    const stops = this.#stops;
    this.#stops = [];
    await Promise.all(stops.map((stop) => stop()));
  }
}

/** The sessions of a workspace that other machines share: their folders and logs. */
export async function sharedSessions(workspace: Workspace) {
  const ids = sessionIds(workspace).filter((id) => hasStore(join(workspace.root, "sessions", id)));
  const sessions = await Promise.all(ids.map((id) => loadSession(placeIn(workspace, id))));
  return sessions
    .filter(({ machine }) => !machine.standing().ended)
    .map(({ place, log }) => ({ folder: place.folder, log }));
}
