import { join } from "node:path";
import { visibleText } from "../../base/visible-text.ts";
import { appendToFile, moveFile } from "../../files/atomic-file.ts";
import { lstatSync, orNothing } from "../../files/disk.ts";

const fileBytesMax = 524_288;
const lineCharacters = 2_000;

/**
 * The notes that a brain makes of its own running, in `brain.log`: a brain that another command started has no
 * terminal to print to. A file that has grown too large becomes `brain.log.old`. It holds no token and no text
 * of a memory. A note that cannot be written is dropped.
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
      const size = lstatSync(this.#path)?.size ?? 0;
      if (size > fileBytesMax) moveFile(this.#path, `${this.#path}.old`);
      appendToFile(this.#path, `${this.#now()} ${line}\n`, { sync: "nothing" });
    });
  }
}
