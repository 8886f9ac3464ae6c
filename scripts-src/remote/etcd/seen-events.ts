import { join } from "node:path";
import { isRecord, parseJson } from "../../base/json.ts";
import { createFileExclusively, namesIn, readFileIfPresent } from "../../files/atomic-file.ts";
import { discard } from "../../files/safe-open.ts";
import { ensureFolder } from "../../files/safe-path.ts";
import { remoteLimits } from "../limits.ts";
import { isVersion, type Versions } from "./stored-forms.ts";

/** What was last seen of a session in etcd, by any process of this machine. */
export interface SeenState {
  readonly count: number;
  /** SHA-256 of the last event's line; "" where there is none. */
  readonly last: string;
  readonly versions: Versions;
}

const nothing: SeenState = { count: 0, last: "", versions: new Map() };
/** Others may just be reading one of these. */
const keptCount = 4;

/**
 * Remembers what was seen in a folder: a file for each count that somebody saw, never changed, so that a
 * process which is slow takes nothing back.
 */
export class SeenEvents {
  /** Holds all that the home knows of the session. */
  readonly storeFolder: string;
  readonly #folder: string;

  /** `name` is that of the folder: the session's log and the user's log beside it have one each. */
  constructor(storeFolder: string, name = "seen") {
    this.storeFolder = storeFolder;
    this.#folder = ensureFolder(storeFolder, name);
  }

  read(): SeenState {
    for (;;) {
      const count = this.#counts().at(-1);
      if (count === undefined) return nothing;
      const text = readFileIfPresent(this.#path(count), remoteLimits.seenBytes);
      // Where it is gone, newer ones have come.
      if (text !== undefined) return seenIn(text, count);
    }
  }

  note({ count, last, versions }: SeenState): void {
    const text = JSON.stringify({ last, versions: Object.fromEntries(versions) });
    createFileExclusively(this.#path(count), `${text}\n`);
    for (const old of this.#counts().slice(0, -keptCount)) discard(this.#path(old));
  }

  #counts(): number[] {
    const names = namesIn(this.#folder).filter((name) => /^[1-9]\d{0,14}\.json$/.test(name));
    return names.map(Number.parseFloat).sort((one, other) => one - other);
  }

  #path(count: number): string {
    return join(this.#folder, `${count}.json`);
  }
}

function seenIn(text: string, count: number): SeenState {
  const value = parseJson(text);
  const { last, versions } = isRecord(value) ? value : {};
  const entries = Object.entries(isRecord(versions) ? versions : {});
  const known = entries.flatMap(([path, it]) => (isVersion(it) ? [[path, it] as const] : []));
  return { count, last: typeof last === "string" ? last : "", versions: new Map(known) };
}
