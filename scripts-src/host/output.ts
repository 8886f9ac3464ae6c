import { isUtf8 } from "node:buffer";
import { readFileSync, writeSync } from "node:fs";
import type { Workspace } from "../app/workspace.ts";
import { logLevels } from "../core/config.ts";
import { ConsultaError } from "../core/errors.ts";
import { asLine, visibleText } from "../core/visible-text.ts";
import { withoutMark } from "../store/atomic-file.ts";
import { diskFailure, errnoOf } from "../store/errno.ts";

/**
 * Writes data to stdout at once; `process.stdout` costs 4 ms on a pipe. False when its reader went
 * away, which is no failure of ours: it has not read this. For JSON and texts that are framed: what
 * holds a word of others in a line of ours is for `sayLines`.
 */
export function say(text: string): boolean {
  return write(1, visibleText(text));
}

/** Writes talk and errors to stderr; false when its reader went away. */
export function talk(text: string): boolean {
  return write(2, visibleText(text));
}

/** Writes each text as one line to stdout, whatever breaks it holds. */
export function sayLines(...lines: readonly string[]): boolean {
  return write(1, printed(lines));
}

/** Writes each text as one line to stderr. */
export function talkLines(...lines: readonly string[]): boolean {
  return write(2, printed(lines));
}

function printed(lines: readonly string[]): string {
  return lines.map((line) => `${asLine(line)}\n`).join("");
}

type LogLevel = (typeof logLevels)[number];

/** Talks when the workspace's `log_level` lets it. */
export function log({ config }: Workspace, level: LogLevel, text: string): void {
  if (logLevels.indexOf(level) <= logLevels.indexOf(config.log_level))
    talkLines(`${level}: ${text}`);
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

/**
 * The text of a file, or of standard input for `-`.
 * @throws ConsultaError REFUSED when it cannot be read, is too large or is not UTF-8.
 */
export function readInput(path: string, bytesMax: number): string {
  const name = path === "-" ? "standard input" : path;
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === "-" ? 0 : path);
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    const reason =
      errnoOf(cause) === "ENOENT"
        ? "there is no such file; check the path, or write the text there first"
        : text.slice(0, 120);
    const hint = path.trimStart().startsWith("{")
      ? "; give a file, or - and the text on standard input"
      : "";
    throw new ConsultaError("REFUSED", `cannot read ${name.slice(0, 80)}: ${reason}${hint}`, {
      cause,
    });
  }
  if (bytes.length > bytesMax) {
    throw new ConsultaError(
      "REFUSED",
      `${name} has ${bytes.length} bytes, the limit is ${bytesMax}; shorten it and refer to files by path`,
    );
  }
  // A TextDecoder takes a millisecond to make; the check is the same.
  if (isUtf8(bytes)) return withoutMark(bytes.toString("utf8"));
  throw new ConsultaError("REFUSED", `${name} is not UTF-8 text; save it as UTF-8`);
}
