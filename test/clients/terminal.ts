import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Why no terminal can be had here; undefined when one can. */
export function terminalFault(): string | undefined {
  const { status } = spawnSync("tmux", ["-V"], { stdio: "ignore" });
  return status === 0 ? undefined : "tmux is not installed, in which the clients are started";
}

const patienceMs = 120_000;

/** Waits for the report's last line: its verdict may have left the screen above. */
export async function showsReport(window: Terminal): Promise<void> {
  const lastLine = /kept as (\S+report\.md)/;
  await window.shows(lastLine);
  const [, path = ""] = lastLine.exec(window.screen()) ?? [];
  assert.match(readFileSync(path, "utf8"), /CONSENSUS/);
}

/** A window of 200 by 50 in a tmux server of its own, in which a program runs as for a person. */
export class Terminal {
  readonly #socket: string;
  readonly #environment: Record<string, string>;

  constructor(
    socket: string,
    words: readonly string[],
    folder: string,
    environment: Record<string, string>,
  ) {
    this.#socket = socket;
    this.#environment = { ...environment, TERM: "xterm-256color" };
    const size = ["-x", "200", "-y", "50"];
    this.#tmux("new-session", "-d", "-s", "main", ...size, "-c", folder, ...words);
  }

  /** Types a line as a person does: the text, and Enter when it is there to be read. */
  async type(text: string): Promise<void> {
    // Gemini CLI takes a question mark for a call for help while it has not drawn what comes before it.
    const last = text.length - 1;
    for (const [from, to] of [[0, last], [last]] as const) {
      this.#tmux("send-keys", "-t", "main", "-l", text.slice(from, to));
      const words = text.slice(0, to).split(" ");
      const pattern = words.map((word) => word.replace(/\W/g, "\\$&")).join("\\s+");
      await this.shows(new RegExp(pattern));
    }
    await this.press("Enter");
  }

  /** Presses a key, by its name in tmux. */
  async press(key: string): Promise<void> {
    // Keys that come in one piece are a paste, in which Enter is a new line.
    await sleep(300);
    this.#send(key);
  }

  /** Presses Esc, and waits until it is no longer taken for the beginning of the next key. */
  async interrupt(): Promise<void> {
    this.#send("Escape");
    await sleep(1_000);
  }

  /** What can be read now. */
  screen(): string {
    return this.#tmux("capture-pane", "-t", "main", "-p");
  }

  /** Waits until the screen shows something. */
  async shows(pattern: RegExp): Promise<void> {
    const screen = await this.#until((text) => pattern.test(text));
    if (screen !== undefined) throw new Error(`the screen lacks ${pattern}:\n${screen}`);
  }

  /** Waits until the screen shows something no longer. */
  async loses(pattern: RegExp): Promise<void> {
    const screen = await this.#until((text) => !pattern.test(text));
    if (screen !== undefined) throw new Error(`the screen still has ${pattern}:\n${screen}`);
  }

  /** Gives the screen that did not satisfy in all the time. */
  async #until(isRight: (screen: string) => boolean): Promise<string | undefined> {
    const endMs = performance.now() + patienceMs;
    for (;;) {
      const screen = this.screen();
      if (isRight(screen)) return undefined;
      if (performance.now() > endMs) return screen;
      await sleep(100);
    }
  }

  /** The process that was started; its children are its own business. */
  pid(): number {
    return Number(this.#tmux("display-message", "-p", "-t", "main", "#{pane_pid}"));
  }

  /** Closes the window, as its cross does: the program is told, and may end what it has begun. */
  close(): void {
    try {
      this.#tmux("kill-server");
    } catch {
      // It ended with its program.
    }
  }

  #send(key: string): void {
    this.#tmux("send-keys", "-t", "main", key);
  }

  #tmux(...words: string[]): string {
    const { status, stdout, stderr } = spawnSync(
      "tmux",
      ["-S", this.#socket, "-f", "/dev/null", ...words],
      { env: this.#environment, encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`tmux ${words[0]} ended with ${status}: ${stderr}`);
    return stdout;
  }
}
