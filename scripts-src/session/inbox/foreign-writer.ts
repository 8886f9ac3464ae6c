import { join } from "node:path";
import { discard } from "../../files/safe-open.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Place } from "../place.ts";
import { hasBeenSeen } from "../waiting/presence.ts";

/** Our init puts it beside a log that others may write as well; there `unblocked` may stand. */
export const ownFolderMark = ".consulta.json";

/**
 * Takes the mark of a folder of ours away once somebody writes there who never ran a script of
 * ours: a colleague with the original scripts, which stop at events that the seed does not know.
 */
export function noteForeignWriters(place: Place, events: readonly LogEvent[]): void {
  const writers = new Set(events.map(({ from }) => from));
  for (const name of writers) {
    if (hasBeenSeen(place, name)) continue;
    discard(join(place.folder, ownFolderMark));
    return;
  }
}
