import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  type Stats,
} from "node:fs";
import { ConsultaError, refused } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { withoutMark } from "../files/atomic-file.ts";
import { errnoOf, isErrno } from "../files/disk.ts";
import { readBytes } from "../files/safe-open.ts";

/**
 * The text of a regular file, or of standard input for `-`. What is too large is refused by its size,
 * before it is read; a pipe as soon as more came than the limit.
 * @throws ConsultaError REFUSED when it cannot be read, is too large or is not UTF-8.
 */
export function readInput(path: string, bytesMax: number): string {
  const name = path === "-" ? "standard input" : path;
  let bytes: Buffer;
  try {
    bytes = path === "-" ? readStandardInput(bytesMax) : readRegular(path, bytesMax);
  } catch (cause) {
    if (cause instanceof ConsultaError) throw cause;
    throw unreadable(path, name, cause);
  }
  return textOf(bytes, name);
}

/**
 * The first whole JSON object on standard input, or what came until its end, for anyone who may not wait
 * long: undefined when neither was there in time. Who writes the object may keep the pipe open. `begun` was read of it
 * before.
 */
export async function readObjectInTime(
  bytesMax: number,
  timeoutMs: number,
  begun = "",
): Promise<string | undefined> {
  checkStandardInput(bytesMax);
  // Unlike a call of `fs.read` it lets the process end while nothing comes.
  const { stdin } = process;
  const pieces: Buffer[] = [Buffer.from(begun)];
  let timer: NodeJS.Timeout | undefined;
  const bytes = await new Promise<Buffer | undefined>((resolve, reject) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
    let length = 0;
    stdin.on("data", (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length > bytesMax) reject(tooLong(bytesMax));
      else if (/\}\s*$/.test(piece.toString("latin1"))) {
        const bytes = Buffer.concat(pieces);
        if (parseJson(bytes.toString()) !== undefined) resolve(bytes);
      }
    });
    stdin.once("end", () => resolve(Buffer.concat(pieces)));
    stdin.on("error", (cause) => reject(unreadable("-", "standard input", cause)));
  }).finally(() => {
    clearTimeout(timer);
    stdin.removeAllListeners("data").pause();
  });
  return bytes === undefined ? undefined : textOf(bytes, "standard input");
}

function textOf(bytes: Buffer, name: string): string {
  // A TextDecoder takes a millisecond to make; the check is the same.
  if (isUtf8(bytes)) return withoutMark(bytes.toString("utf8"));
  throw refused(`${name} is not UTF-8 text; save it as UTF-8`);
}

/** Unlike our own files it may be a link: the user who named it may mean that. Windows lacks the flag. */
function readRegular(path: string, bytesMax: number): Buffer {
  const { O_NONBLOCK = 0 } = constants;
  const file = openSync(path, constants.O_RDONLY | O_NONBLOCK);
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw notRegular(path, kindOf(status));
    if (status.size > bytesMax) throw tooLarge(path, `${status.size} bytes`, bytesMax);
    return readBytes(file, 0, status.size);
  } finally {
    closeSync(file);
  }
}

/** Nobody is to wait for what a person may type. */
function checkStandardInput(bytesMax: number): void {
  const status = fstatSync(0);
  if (status.isDirectory()) throw notRegular("standard input", "a folder");
  if (status.isFile() && status.size > bytesMax) {
    throw tooLarge("standard input", `${status.size} bytes`, bytesMax);
  }
  // Asked of a device only: it takes milliseconds, and makes the input non-blocking.
  if (status.isCharacterDevice() && process.stdin.isTTY) {
    throw notRegular("standard input", "a terminal");
  }
}

/** All of it, as long as it stays within the limit. */
function readStandardInput(bytesMax: number): Buffer {
  checkStandardInput(bytesMax);
  let bytes = Buffer.allocUnsafe(limits.inputChunkBytes);
  let length = 0;
  for (;;) {
    const count = readSomeInput(bytes, length);
    length += count;
    if (length > bytesMax) throw tooLong(bytesMax);
    if (count === 0) return bytes.subarray(0, length);
    // By doubling: what comes byte by byte costs no more than what comes at once.
    if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
  }
}

function tooLong(bytesMax: number): ConsultaError {
  return tooLarge("standard input", `more than ${bytesMax} bytes`, bytesMax);
}

/** A pipe that is shared with a terminal may not block; more will come. */
const emptyPauseMs = 5;

function readSomeInput(bytes: Buffer, from: number): number {
  for (;;) {
    try {
      return readSync(0, bytes, from, bytes.length - from, null);
    } catch (error) {
      // Windows tells the end of a pipe so.
      if (isErrno(error, "EOF")) return 0;
      if (!isErrno(error, "EAGAIN", "EINTR")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, emptyPauseMs);
    }
  }
}

function kindOf(status: Stats): string {
  if (status.isDirectory()) return "a folder";
  if (status.isFIFO()) return "a pipe";
  return status.isSocket() ? "a socket" : "a device";
}

function notRegular(name: string, what: string): ConsultaError {
  const advice = "give a regular file, or - and the text on standard input, as in: ... - < FILE";
  return refused(`cannot read ${name.slice(0, 80)}: it is ${what}; ${advice}`);
}

function tooLarge(name: string, came: string, bytesMax: number): ConsultaError {
  return refused(
    `${name} has ${came}, the limit is ${bytesMax}; shorten it and refer to files by path`,
  );
}

function unreadable(path: string, name: string, cause: unknown): ConsultaError {
  if (isErrno(cause, "ENXIO", "ENODEV")) return notRegular(name, "a socket or a device");
  const text = cause instanceof Error ? cause.message : String(cause);
  const reason =
    errnoOf(cause) === "ENOENT"
      ? "there is no such file; check the path, or write the text there first"
      : text.slice(0, 120);
  const hint = path.trimStart().startsWith("{")
    ? "; give a file, or - and the text on standard input"
    : "";
  const message = `cannot read ${name.slice(0, 80)}: ${reason}${hint}`;
  return refused(message, { cause });
}

interface Lines {
  readonly lines: string[];
  /** How many came before these. */
  readonly before: number;
}

const linesMax = 500;
const charactersMax = 500_000;

/**
 * The lines of a file, or of standard input for `-`, a handful at a time: it may be large. A line ends at a line
 * feed alone: `node:readline` of Node 24 also ends it at U+2028, which stands in JSON as it is.
 * @throws ConsultaError REFUSED when it cannot be read.
 */
export async function* streamLines(path: string): AsyncGenerator<Lines> {
  const input = path === "-" ? process.stdin : createReadStream(path);
  let [lines, before, characters]: [string[], number, number] = [[], 0, 0];
  let open: string[] = [];
  try {
    for await (const piece of input.setEncoding("utf8")) {
      const [end = "", ...begun] = String(piece).split("\n");
      open.push(end);
      for (const next of begun) {
        const line = open.join("").replace(/\r$/, "");
        open = [next];
        if (lines.length >= linesMax || characters + line.length > charactersMax) {
          yield { lines, before };
          [lines, before, characters] = [[], before + lines.length, 0];
        }
        lines.push(line);
        characters += line.length;
      }
    }
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    const isMissing = errnoOf(cause) === "ENOENT";
    const reason = isMissing ? "there is no such file; check the path" : text;
    throw refused(`cannot read ${path}: ${reason}`, { cause });
  }
  const last = open.join("");
  yield { lines: last === "" ? lines : [...lines, last], before };
}
