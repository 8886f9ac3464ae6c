import { spawn } from "node:child_process";
import { once } from "node:events";
import { isatty } from "node:tty";
import { printError } from "../script/output.ts";

/** The person at the terminal: reads stderr, and writes in an editor. */
export interface Person {
  show(text: string): void;
  /** Opens a file in the person's editor; returns its exit code when it is closed. */
  edit(path: string): Promise<number>;
}

/** The person at this terminal; undefined where nobody could read or type. */
export function personAtTerminal(): Person | undefined {
  return isatty(0) && isatty(2) ? new TerminalPerson() : undefined;
}

/** One editor is open at a time; what others have to say waits until its screen is gone. */
export class TerminalPerson implements Person {
  #isEditing = false;
  #held = "";
  #last: Promise<unknown> = Promise.resolve();

  show(text: string): void {
    if (this.#isEditing) this.#held += text;
    else printError(text);
  }

  edit(path: string): Promise<number> {
    const closed = this.#last.then(() => this.#editNow(path));
    this.#last = closed.catch(() => undefined);
    return closed;
  }

  async #editNow(path: string): Promise<number> {
    this.#isEditing = true;
    try {
      return await runEditor(path);
    } finally {
      this.#isEditing = false;
      this.show(this.#held);
      this.#held = "";
    }
  }
}

/**
 * The editor is the person's: nothing here ends it, since that would lose what is not saved. It gets
 * stderr as its screen, because stdout may be a file.
 */
async function runEditor(path: string): Promise<number> {
  const { VISUAL, EDITOR } = process.env;
  const isWindows = process.platform === "win32";
  const editor = VISUAL || EDITOR || (isWindows ? "notepad" : "vi");
  // The variable may hold options as well, such as `code --wait`.
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { stdio: [0, 2, 2], shell: true })
    : spawn("sh", ["-c", `${editor} "$1"`, "sh", path], { stdio: [0, 2, 2] });
  const [exitCode] = await once(child, "exit");
  return exitCode ?? 1;
}
