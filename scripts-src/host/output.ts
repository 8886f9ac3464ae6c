import { writeSync } from "node:fs";
import type { Workspace } from "../app/workspace.ts";
import { logLevels } from "../core/config.ts";
import { diskFailure } from "../store/errno.ts";

/**
 * Writes data to stdout at once; `process.stdout` costs 4 ms on a pipe. False when its reader went
 * away, which is no failure of ours: it has not read this.
 */
export function say(text: string): boolean {
  return write(1, text);
}

/** Writes talk and errors to stderr; false when its reader went away. */
export function talk(text: string): boolean {
  return write(2, text);
}

type LogLevel = (typeof logLevels)[number];

/** Talks when the workspace's `log_level` lets it. */
export function log({ config }: Workspace, level: LogLevel, text: string): void {
  if (logLevels.indexOf(level) <= logLevels.indexOf(config.log_level)) talk(`${level}: ${text}\n`);
}

function write(file: number, text: string): boolean {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(file, bytes, done);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EPIPE") return false;
      // A full pipe will be read.
      if (code !== "EAGAIN") throw diskFailure(error, "write the output");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return true;
}
