import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeCache } from "../code-cache.ts";
import { isInstalled } from "../is-installed.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

export const dist = resolve("dist");

/** Whether there is a terminal to look at; `.ci/run` installs it. */
export const hasTmux = isInstalled("tmux", spawnSync("tmux", ["-V"]).status === 0);

interface WindowOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A terminal as a person has one, in a project of its own. */
export class TerminalWindow {
  readonly root = makeScratchFolder();
  readonly folder = join(this.root, "project");
  readonly #name = `consulta-${basename(this.root)}`;

  constructor({ columns = 80, rows = 24, environment = {} }: WindowOptions = {}) {
    for (const name of ["project", "home"]) mkdirSync(join(this.root, name));
    const places = { HOME: join(this.root, "home"), XDG_CACHE_HOME: codeCache };
    const own = { ...places, PS1: "$ ", ...environment };
    const variables = Object.entries(own).map(([name, value]) => `${name}=${value}`);
    const kept = [`PATH=${process.env["PATH"]}`, "LANG=C.UTF-8", "TERM=screen-256color"];
    const shell = ["env", "-i", ...kept, ...variables, "sh"];
    const size = ["-x", String(columns), "-y", String(rows)];
    this.#tmux("-f", "/dev/null", "new-session", "-d", ...size, "-c", this.folder, ...shell);
  }

  #tmux(...words: string[]): string {
    const { stdout, stderr, status } = spawnSync("tmux", ["-L", this.#name, ...words], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`tmux ${words.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** Types a line, from a file: what is typed itself would fill the window. */
  type(line: string): void {
    const file = join(this.root, "line.sh");
    writeFileSync(file, `${line}\n`);
    this.#tmux("send-keys", "clear; . ../line.sh; echo exit code $?", "Enter");
  }

  /** Keeps all that comes to the window from now on, signs that show nothing among it. */
  record(): () => string {
    const file = join(this.root, "raw.txt");
    this.#tmux("pipe-pane", `cat >${file}`);
    return () => readFileSync(file, "utf8");
  }

  press(key: string): void {
    this.#tmux("send-keys", key);
  }

  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** What stands in the window; with all that scrolled away, or with its colours. */
  shown(...options: ("-e" | "-S")[]): string {
    return this.#tmux(
      "capture-pane",
      "-p",
      ...options.flatMap((it) => (it === "-S" ? ["-S", "-"] : [it])),
    );
  }

  /** Looks until the window, with what scrolled away, shows something. */
  async until(text: RegExp): Promise<string> {
    for (let looks = 0; looks < 600; looks += 1) {
      const shown = this.shown("-S");
      if (text.test(shown)) return shown;
      await sleep(100);
    }
    throw new Error(`${text} did not come:\n${this.shown("-S")}`);
  }

  close(): void {
    spawnSync("tmux", ["-L", this.#name, "kill-server"]);
    // What ran in it may still be writing for a moment.
    removeFolder(this.root);
  }
}
