/** What interrupts a script, and the exit code by which shells know it: 128 and the number. */
const interruptions = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A stop that came from outside: `signal` fires on it, `exitCode` tells which it was. */
export interface Interruption {
  readonly signal: AbortSignal;
  exitCode(): number | undefined;
  /** Lets signals end the process again, as they do by default. */
  release(): void;
}

/** Catches Ctrl-C and its like, so that the script can end in order. */
export function catchInterruption(): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const handlers = Object.entries(interruptions).map(([name, code]) => {
    const handler = () => {
      exitCode ??= code;
      controller.abort(name);
    };
    process.on(name, handler);
    return [name, handler] as const;
  });
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    release() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
