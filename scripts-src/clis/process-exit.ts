import type { CliProcess } from "./cli-process.ts";
import { isRunning } from "./is-running.ts";

/** How often to look: no system reports the end of a process that is not one's own child. */
const lookEveryMs = 1_000;

/** Calls back as soon as one of some processes has ended. */
export class ProcessExitWatch {
  #watched: readonly CliProcess[] = [];
  readonly #reported = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  begin(notice: () => void): void {
    this.#timer = setInterval(() => {
      const ended = this.#watched.filter(
        (it) => !this.#reported.has(nameOf(it)) && isRunning(it) === false,
      );
      for (const it of ended) this.#reported.add(nameOf(it));
      if (ended.length > 0) notice();
    }, lookEveryMs);
  }

  /**
   * Sets the processes to watch from now on; an end that was reported is not reported again. One that
   * ended since its caller looked is reported at the next look.
   */
  keep(processes: readonly CliProcess[]): void {
    this.#watched = processes;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

function nameOf({ host, pid, started }: CliProcess): string {
  return `${host} ${pid} ${started}`;
}
