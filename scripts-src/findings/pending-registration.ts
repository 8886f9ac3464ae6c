import { hostname } from "node:os";
import { join } from "node:path";
import { isRunning } from "../clis/is-running.ts";
import {
  createFileExclusively,
  discardIfOld,
  isOlderThan,
  moveFile,
  namesIn,
} from "../files/atomic-file.ts";
import { sha256 } from "../files/hash.ts";
import { discard } from "../files/regular-file.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";
import { type Place, pendingFolder } from "../session/place.ts";

/**
 * A registration whose agent was not told yet: noted before its event is appended, removed when the
 * answer was given. A process that died in between told nobody, so who asks for the name next takes
 * the note over and is answered as the dead one would have been.
 *
 *   noted --event stored, answer given--> (gone)
 *     | the process dies
 *     v
 *   left --renamed by one of those who ask next--> noted
 *
 * The name of the file says all: renaming it changes its owner in one step.
 */
export interface Untold {
  /** The agent was told: nobody else gets the name. */
  told(): void;
  /** The registration came to nothing. */
  discard(): void;
}

const prefix = "untold-";
/** Name, id of the event, process, host: no name and no id of ours holds a plus. */
const notePattern = /^untold-([a-z0-9-]+)\+([a-z0-9-]+)\+(\d{1,10})\+([0-9a-f]{8})$/;
/** A process on another host has ended by then. */
const deadMs = 60_000;
/** Nobody repeats a registration that is so old. */
const keptMs = 3_600_000;

/** @throws ConsultaError UNAVAILABLE when the disk refuses. */
export function noteUntold({ folder }: Place, name: string, id: string): Untold {
  const notes = ensureFolder(folder, pendingFolder);
  for (const note of namesIn(notes).filter((it) => it.startsWith(prefix))) {
    discardIfOld(join(notes, note), keptMs);
  }
  const own = join(notes, ownNote(name, id));
  createFileExclusively(own, "");
  return untold(notes, own, name);
}

/** Takes over the registration `id` of a process that died; undefined where none is left. */
export function takeUntold({ folder }: Place, name: string, id: string): Untold | undefined {
  const notes = safeJoin(folder, pendingFolder);
  const own = join(notes, ownNote(name, id));
  for (const note of namesIn(notes)) {
    const isTaken =
      isLeft(join(notes, note), note, { name, id }) && moveFile(join(notes, note), own);
    if (isTaken) return untold(notes, own, name);
  }
  return undefined;
}

function untold(notes: string, own: string, name: string): Untold {
  return {
    told() {
      discard(own);
      // What is left of this name by now are tries that came to nothing.
      for (const note of namesIn(notes)) {
        if (isLeft(join(notes, note), note, { name })) discard(join(notes, note));
      }
    },
    discard: () => discard(own),
  };
}

function ownNote(name: string, id: string): string {
  return `${prefix}${name}+${id}+${process.pid}+${sha256(hostname()).slice(0, 8)}`;
}

function isLeft(path: string, note: string, of: { name: string; id?: string }): boolean {
  const [, name, id, pid, host] = notePattern.exec(note) ?? [];
  if (name !== of.name || (of.id !== undefined && id !== of.id)) return false;
  const isHere = host === sha256(hostname()).slice(0, 8);
  const isAlive = isRunning({ pid: Number(pid), host: isHere ? hostname() : undefined });
  return isAlive === false || (isAlive === undefined && isOlderThan(path, deadMs));
}
