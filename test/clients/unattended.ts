import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** Why no terminal can be had here; undefined when one can. */
export function unattendedFault(): string | undefined {
  const { status } = spawnSync("script", ["--version"], { stdio: "ignore" });
  return status === 0 ? undefined : "script(1) is missing, which gives the client a terminal";
}

/** An interactive client in a terminal of its own: it was told one thing, and nobody is there. */
export class Unattended {
  readonly #child: ChildProcess;
  #screen = "";

  constructor(words: readonly string[], folder: string, environment: Record<string, string>) {
    const line = `stty rows 50 cols 200; exec ${words.map(quoted).join(" ")}`;
    this.#child = spawn("script", ["-qfec", line, "/dev/null"], {
      cwd: folder,
      env: { ...environment, TERM: "xterm-256color", SHELL: "/bin/sh" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#screen += text;
    });
  }

  /** Takes the terminal away, as a closed window does. */
  async close(): Promise<void> {
    const closed = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await closed;
  }

  /** All that it has drawn, for whoever wants to know why it does nothing. */
  screen(): string {
    return this.#screen;
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
