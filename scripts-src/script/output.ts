import { writeSync } from "node:fs";
import { asLine, visibleText } from "../base/visible-text.ts";
import { diskFailure } from "../files/errno.ts";
import { type Config, logLevels } from "../protocol/config.ts";

/**
 * Writes data to stdout at once; `process.stdout` costs 4 ms on a pipe. False when its reader went
 * away, which is no failure of ours: it has not read this. For JSON and texts that are framed: what
 * holds a word of others in a line of ours is for `printLines`.
 */
export function print(text: string): boolean {
  return write(1, visibleText(text));
}

/** Writes remarks and errors to stderr; false when its reader went away. */
export function printError(text: string): boolean {
  return write(2, visibleText(text));
}

/** Writes each text as one line to stdout, whatever breaks it holds. */
export function printLines(...lines: readonly string[]): boolean {
  return write(1, printed(lines));
}

/** Writes each text as one line to stderr. */
export function printErrorLines(...lines: readonly string[]): boolean {
  return write(2, printed(lines));
}

/** Draws on a terminal: for signs of ours, around words that were made visible before. */
export function draw(file: "stdout" | "stderr", text: string): boolean {
  return write(file === "stdout" ? 1 : 2, text);
}

function printed(lines: readonly string[]): string {
  return lines.map((line) => `${asLine(line)}\n`).join("");
}

type LogLevel = (typeof logLevels)[number];

/** Prints to stderr when the workspace's `log_level` lets it. */
export function logAt(
  { config }: { readonly config: Config },
  level: LogLevel,
  text: string,
): void {
  if (logLevels.indexOf(level) <= logLevels.indexOf(config.log_level))
    printErrorLines(`${level}: ${text}`);
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
