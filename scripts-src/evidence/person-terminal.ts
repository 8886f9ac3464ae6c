import { createInterface, type Interface } from "node:readline";
import { isatty } from "node:tty";
import { printError } from "../script/output.ts";

/** A terminal where a person reads stderr and types lines. */
export class OwnTerminal {
  #reader: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;

  /** The line that the person types; undefined after the last one and after `waitMs`. */
  async ask(question: string, waitMs: number): Promise<string | undefined> {
    printError(question);
    this.#reader ??= createInterface({ input: process.stdin });
    this.#lines ??= this.#reader[Symbol.asyncIterator]();
    const line = this.#lines.next().then(({ done, value }) => (done ? undefined : value));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, waitMs, undefined);
    });
    return Promise.race([line, late]).finally(() => clearTimeout(timer));
  }

  /** Gives the terminal back; without this the process would wait for more lines. */
  close(): void {
    this.#reader?.close();
  }
}

/** The terminal of this process; undefined where nobody can type. */
export function ownTerminal(): OwnTerminal | undefined {
  // Touching process.stdin would make the input non-blocking, and reading it whole would then fail.
  return isatty(0) && isatty(2) ? new OwnTerminal() : undefined;
}
