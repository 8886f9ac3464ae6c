import { writeSync } from "node:fs";
import { asLine, visibleText } from "../base/visible-text.ts";
import { diskFailure } from "../files/disk.ts";
import { type Config, logLevels } from "../protocol/config.ts";

/**
 * Writes data to stdout at once, because `process.stdout` costs 4 ms on a pipe. Returns false, without
 * failing, when the reader is gone. Only for JSON and framed texts: a line of ours that quotes others
 * needs `printLines`, or a line break in the quotation would begin a line that looks like ours.
 */
export function print(text: string): boolean {
  return write(1, visibleText(text));
}

/** Writes remarks and errors to stderr; false when the reader is gone. */
export function printError(text: string): boolean {
  return write(2, visibleText(text));
}

/**
 * Writes each text as one line to stdout: a line break in it becomes a blank, hidden characters are escaped.
 */
export function printLines(...lines: readonly string[]): boolean {
  return write(1, linesText(lines));
}

/** Writes each text as one line to stderr, as `printLines` does to stdout. */
export function printErrorLines(...lines: readonly string[]): boolean {
  return write(2, linesText(lines));
}

/** Writes to a terminal as it is, control characters included: the words of others are escaped before. */
export function draw(file: "stdout" | "stderr", text: string): boolean {
  return write(file === "stdout" ? 1 : 2, text);
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${asLine(line)}\n`).join("");
}

type LogLevel = (typeof logLevels)[number];

/** Prints to stderr when the workspace's `log_level` asks for this level. */
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
      if (code !== "EAGAIN") throw diskFailure(error, "write the output");
      // The pipe is full: sleep until its reader has read some.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return true;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a terminal can be drawn on in place. */
export function canDraw({ TERM }: Environment): boolean {
  return TERM !== undefined && TERM !== "" && TERM !== "dumb";
}

/** Whether the person wants colours, where there can be some. */
export function hasColors(environment: Environment): boolean {
  return canDraw(environment) && (environment["NO_COLOR"] ?? "") === "";
}
