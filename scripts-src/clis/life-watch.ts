import type { CliProcess } from "./cli-process.ts";
import { lives } from "./process-life.ts";
import { quickLook } from "./processes.ts";

/** How often to look: no system reports the end of a process that is not one's own child. */
const lookEveryMs = 1_000;

/** Calls back as soon as one of some processes has ended. */
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

  /** Sets the processes to watch from now on; an end that was reported is not reported again. */
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
