import type { CliProcess } from "./cli-process.ts";
import { lives } from "./process-life.ts";
import { quickLook } from "./processes.ts";

/** No system tells a process that another one, which is not its child, has ended. */
const lookEveryMs = 1_000;

/** Gives notice as soon as one of some processes has ended. */
export class LifeWatch {
  #running: readonly CliProcess[] = [];
  #timer: NodeJS.Timeout | undefined;

  begin(notice: () => void): void {
    this.#timer = setInterval(() => {
      const left = this.#running.filter(isRunning);
      const hasEnded = left.length < this.#running.length;
      this.#running = left;
      if (hasEnded) notice();
    }, lookEveryMs);
  }

  /** Says which processes count from now on; of one that has ended notice was given before. */
  keep(processes: readonly CliProcess[]): void {
    this.#running = processes.filter(isRunning);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

function isRunning(process: CliProcess): boolean {
  return lives(process, quickLook) === true;
}
