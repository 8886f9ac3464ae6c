import { join } from "node:path";
import { visibleText } from "../../base/visible-text.ts";
import { appendToFile, moveFile } from "../../files/atomic-file.ts";
import { lstatSync } from "../../files/disk.ts";
import { orNothing } from "../../files/errno.ts";

const fileBytesMax = 524_288;
const lineCharacters = 2_000;

/**
 * What a brain has to say that nobody listens to: `brain.log`, and the file before it. It holds no
 * token and no text of a memory. A log that cannot be written is no reason to stop.
 */
export class BrainLog {
  readonly #path: string;
  readonly #now: () => string;

  constructor(folder: string, now: () => string) {
    this.#path = join(folder, "brain.log");
    this.#now = now;
  }

  note(text: string): void {
    const lines = text.slice(0, lineCharacters).split("\n");
    const parts = lines.map((each) => each.trim()).filter((each) => each !== "");
    const line = visibleText(parts.join(" | ")).slice(0, lineCharacters);
    orNothing(() => {
      const size = lstatSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > fileBytesMax) moveFile(this.#path, `${this.#path}.old`);
      appendToFile(this.#path, `${this.#now()} ${line}\n`, { sync: "nothing" });
    });
  }
}
