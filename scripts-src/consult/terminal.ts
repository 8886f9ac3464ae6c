import { createInterface, type Interface } from "node:readline";
import { isatty } from "node:tty";
import { printError } from "../script/output.ts";

/** A person who reads stderr and types lines; whoever asks at the same time waits. */
export class TerminalPerson {
  #reader: Interface | undefined;
  readonly #typed: string[] = [];
  #ended = false;
  #wake: () => void = () => undefined;
  #asking: Promise<unknown> = Promise.resolve();

  show(text: string): void {
    printError(text);
  }

  ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    const asked = this.#asking.then(() => this.#askNow(question, signal));
    this.#asking = asked;
    return asked;
  }

  /** Gives the terminal back; without this the process would wait for more lines. */
  close(): void {
    this.#reader?.close();
  }

  async #askNow(question: string, signal: AbortSignal): Promise<string | undefined> {
    this.#listen();
    printError(question);
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake);
    while (this.#typed.length === 0 && !this.#ended && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener("abort", wake);
    return signal.aborted ? undefined : this.#typed.shift();
  }

  #listen(): void {
    if (this.#reader !== undefined) return;
    const reader = createInterface({ input: process.stdin });
    reader.on("line", (line) => {
      this.#typed.push(line);
      this.#wake();
    });
    reader.on("close", () => {
      this.#ended = true;
      this.#wake();
    });
    this.#reader = reader;
  }
}

/** The person at the terminal; undefined where nobody can type. */
export function personAtTerminal(): TerminalPerson | undefined {
  // Touching process.stdin would make the input non-blocking, and reading it whole would then fail.
  return isatty(0) && isatty(2) ? new TerminalPerson() : undefined;
}
