import { join } from "node:path";
import { readFileIfPresent, writeFileAtomically } from "../files/atomic-file.ts";
import { discard } from "../files/safe-open.ts";

const name = "attention.json";
const bytesMax = 262_144;

/**
 * A file that names the sessions in which a tool's hook is to ask the brain though the context has
 * room: an event waits for them (null: for whichever comes first), or they were warned, and a fall
 * would arm the alert again. It is there only while there are any.
 */
export class AttentionFile {
  readonly #path: string;
  readonly #note: (text: string) => void;
  #written: string | undefined;

  constructor(folder: string, note: (text: string) => void) {
    this.#path = join(folder, name);
    this.#note = note;
  }

  /** A file that cannot be changed costs a detour or a delay, never an event. */
  name(sessions: readonly (string | null)[]): void {
    const text = sessions.length === 0 ? "" : `${JSON.stringify([...new Set(sessions)])}\n`;
    if (text === this.#written) return;
    try {
      if (text === "") discard(this.#path);
      else writeFileAtomically(this.#path, text, { sync: "nothing" });
      this.#written = text;
    } catch (error) {
      this.#note(`${name} could not be changed: ${String(error)}`);
    }
  }
}

/** Whether a session is among them, by what the brain that ran last has left. */
export function needsAttention(folder: string, session: string): boolean {
  try {
    const text = readFileIfPresent(join(folder, name), bytesMax);
    if (text === undefined) return false;
    const named: unknown = JSON.parse(text);
    return !Array.isArray(named) || named.includes(null) || named.includes(session);
  } catch {
    // Somebody else's file, or one that is damaged: the brain knows.
    return true;
  }
}
