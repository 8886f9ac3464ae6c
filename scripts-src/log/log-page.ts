import { isUtf8 } from "node:buffer";
import { fstatSync } from "node:fs";
import { type ConsultaError, refused } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { readBytes } from "../files/safe-open.ts";
import type { LogEvent } from "./event.ts";
import { parseLine, parseSharedLine, type SharedEvent } from "./log-line.ts";

/** After event `seq`, whose line ends before byte `offset`. */
export interface LogPosition {
  readonly seq: number;
  readonly offset: number;
}

export interface LogPage {
  readonly events: LogEvent[];
  /** What is wrong with the events; a log of our own has none. */
  readonly faults: string[];
  readonly place: LogPosition;
  readonly more: boolean;
  /** False when the event before `place` still lacks its newline. */
  readonly endsLine: boolean;
  /** Bytes after `place` that are no event: a write that was torn or is under way. */
  readonly junkBytes: number;
}

interface Chunk {
  /** The byte before the place, if there is one, and what follows. */
  readonly bytes: Buffer;
  readonly reachesEnd: boolean;
}

interface Fault {
  readonly line: number;
  readonly fault: string;
}

const newline = 0x0a;
const closingBrace = 0x7d;

/**
 * The events after a place. A last line that was torn is not seen: bytes without a newline that
 * are no event, or a line that holds NUL bytes, which a power cut leaves. An event that lacks only its
 * newline is seen.
 * @throws ConsultaError REFUSED when anything else is damaged; names file and line.
 */
export function readLogPage(
  file: number,
  path: string,
  after: LogPosition,
  form: LogForm,
): LogPage {
  let seen: Buffer | undefined;
  for (;;) {
    const chunk = readChunk(file, path, after);
    const page = parseChunk(chunk, after, form);
    if (!("fault" in page)) return page;
    // A read may see half of a write that covers a torn line; real damage stays as it is.
    if (seen?.equals(chunk.bytes)) throw damage(path, page);
    seen = chunk.bytes;
  }
}

/** The place after the one whole line that follows a place; undefined where none follows. */
export function placeAfterLine(file: number, after: LogPosition): LogPosition | undefined {
  const bytes = readBytes(file, after.offset, limits.eventLineBytes + 1);
  const end = bytes.indexOf(newline);
  return end < 0 ? undefined : { seq: after.seq + 1, offset: after.offset + end + 1 };
}

function damage(path: string, { line, fault }: Fault): ConsultaError {
  const advice = "the log is damaged: run validate";
  return refused(`${path} line ${line} ${fault}; ${advice}`);
}

/** How the lines of a log are read: ours are sound or damaged, others' are taken as they are. */
export interface LogForm {
  readonly shared: boolean;
}

/** A page is larger than the largest line, so it always holds at least one. */
function readChunk(file: number, path: string, after: LogPosition): Chunk {
  const { size } = fstatSync(file);
  if (size < after.offset) {
    const fault = `ends at byte ${size}, and event ${after.seq} was read up to byte ${after.offset}`;
    throw damage(path, { line: after.seq, fault });
  }
  const from = Math.max(0, after.offset - 1);
  const bytes = readBytes(file, from, Math.min(size - from, limits.pageBytes + 1));
  return { bytes, reachesEnd: from + bytes.length >= size };
}

function parseChunk(
  { bytes, reachesEnd }: Chunk,
  after: LogPosition,
  form: LogForm,
): LogPage | Fault {
  const { from, endsLine } = findLineStart(bytes, after);
  const end = findLinesEnd(bytes, from, reachesEnd);
  if (!endsLine && end > from) return { line: after.seq, fault: "has more than one event" };
  if (!reachesEnd && end === from) {
    return { line: after.seq + 1, fault: `is longer than ${limits.eventLineBytes} bytes` };
  }
  const read: SharedEvent[] = [];
  const fault = parseLines(bytes.subarray(from, end), after.seq, read, form);
  if (fault !== undefined) return { line: after.seq + read.length + 1, fault };
  const rest = bytes.subarray(end);
  const last =
    reachesEnd && endsLine ? parseOpenLine(rest, after.seq + read.length + 1, form) : null;
  if (last !== null) read.push(last);
  const base = Math.max(0, after.offset - 1);
  return {
    events: read.map(({ event }) => event),
    faults: read.flatMap(({ faults }) => faults),
    place: {
      seq: after.seq + read.length,
      offset: base + (last === null ? end : bytes.length),
    },
    more: !reachesEnd,
    endsLine: endsLine && last === null,
    junkBytes: last === null ? rest.length : 0,
  };
}

/** Where the next line begins: after the newline that a foreign writer may have left out. */
function findLineStart(bytes: Buffer, after: LogPosition): { from: number; endsLine: boolean } {
  if (after.offset === 0) return { from: 0, endsLine: true };
  if (bytes[0] === newline) return { from: 1, endsLine: true };
  return bytes[1] === newline ? { from: 2, endsLine: true } : { from: 1, endsLine: false };
}

/** Where the last whole line ends; a last line with NUL bytes is left out as torn. */
function findLinesEnd(bytes: Buffer, from: number, reachesEnd: boolean): number {
  const end = Math.max(from, bytes.lastIndexOf(newline) + 1);
  if (!reachesEnd || end < bytes.length || end === from) return end;
  const lastLine = end < 2 ? from : Math.max(from, bytes.lastIndexOf(newline, end - 2) + 1);
  return bytes.subarray(lastLine, end).includes(0) ? lastLine : end;
}

/** Adds the events of whole lines to `read`; says what is wrong with the first bad line. */
function parseLines(
  bytes: Buffer,
  seq: number,
  read: SharedEvent[],
  form: LogForm,
): string | undefined {
  const sound = isUtf8(bytes) ? bytes : soundLines(bytes);
  const text = sound.toString();
  let from = 0;
  // Only a line feed ends a line: U+2028 and the like are content.
  for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
    const line = text.slice(from, to);
    from = to + 1;
    // A colleague's reader passes over blank lines, so they are no damage.
    if (form.shared && line.trim() === "") continue;
    const event = parse(line, seq + read.length + 1, form);
    if (typeof event === "string") return event;
    read.push(event);
  }
  return sound.length < bytes.length ? "is not UTF-8" : undefined;
}

function parse(line: string, seq: number, { shared }: LogForm): SharedEvent | string {
  if (shared) return parseSharedLine(line, seq);
  const event = parseLine(line, seq);
  return typeof event === "string" ? event : { event, faults: [] };
}

/** The lines before the first that is not UTF-8. */
function soundLines(bytes: Buffer): Buffer {
  let from = 0;
  for (let to = bytes.indexOf(newline); to >= 0; to = bytes.indexOf(newline, from)) {
    if (!isUtf8(bytes.subarray(from, to))) break;
    from = to + 1;
  }
  return bytes.subarray(0, from);
}

/**
 * The event of a last line without its newline. Spaces after the event would be the padding of a
 * write that is under way: its newline comes later, at a place only that writer knows.
 */
function parseOpenLine(bytes: Buffer, seq: number, form: LogForm): SharedEvent | null {
  if (bytes.at(-1) !== closingBrace || !isUtf8(bytes)) return null;
  const event = parse(bytes.toString(), seq, form);
  return typeof event === "string" ? null : event;
}

/** Below this many bytes a scan is quicker than another step of the bisection. */
const scanBytes = 65_536;
const chunkBytes = 16_384;
/** The seq of a line stands before this byte of it. */
const headBytes = 64;

/** An event of a log, and the byte at which its line begins. */
interface PlacedEvent {
  readonly event: LogEvent;
  readonly offset: number;
}

/**
 * The event with this seq, or undefined when the log has none: found by bisection over byte
 * offsets, because the lines of a log stand in the order of their seqs.
 */
export function findEvent(log: number, seq: number): PlacedEvent | undefined {
  // Both bounds are about where a line may begin.
  let low = 0;
  let high = fstatSync(log).size;
  while (high - low > scanBytes) {
    const middle = low + Math.floor((high - low) / 2);
    // A line that begins at the very middle counts as well.
    const start = startAfter(log, middle - 1, high);
    const found = start === undefined ? undefined : seqAt(log, start);
    if (start === undefined || found === undefined) high = middle;
    else if (found > seq) high = start;
    else low = start;
  }
  // The last line may begin shortly before the bound.
  const near = readBytes(log, low, high - low + headBytes).toString("latin1");
  let offset = low;
  for (const part of near.split("\n")) {
    const line = seqIn(part) === seq ? readLine(log, offset) : undefined;
    const event = line === undefined ? "is another" : parseLine(line.toString(), seq);
    if (typeof event !== "string") return { event, offset };
    offset += part.length + 1;
  }
  return undefined;
}

/** Where the first line after `from` begins, if before `end`. */
function startAfter(log: number, from: number, end: number): number | undefined {
  for (let offset = from; offset < end; offset += chunkBytes) {
    const index = readBytes(log, offset, Math.min(chunkBytes, end - offset)).indexOf(newline);
    if (index !== -1) return offset + index + 1 < end ? offset + index + 1 : undefined;
  }
  return undefined;
}

function seqAt(log: number, start: number): number | undefined {
  return seqIn(readLine(log, start)?.toString("latin1") ?? "");
}

function seqIn(line: string): number | undefined {
  const found = /"seq":(\d+)/.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The line that begins at `start`, without its newline; undefined when it has no end. */
function readLine(log: number, start: number): Buffer | undefined {
  for (let length = chunkBytes; ; length *= 4) {
    const bytes = readBytes(log, start, Math.min(length, limits.eventLineBytes + 2));
    const end = bytes.indexOf(newline);
    if (end !== -1) return bytes.subarray(0, end);
    if (bytes.length < length) return bytes.length > 0 ? bytes : undefined;
    if (length > limits.eventLineBytes) return undefined;
  }
}
