import { ConsultaError } from "../core/errors.ts";
import { isLogEvent, type LogEvent } from "../core/event.ts";
import { quote } from "../core/json.ts";
import { limits } from "../core/limits.ts";

/** An event wraps a message, which may use every level it is allowed, in a few of its own. */
const depthLevels = limits.depthLevels + 8;

/**
 * The line that stores an event, without its newline.
 * @throws ConsultaError REFUSED when the event is too large or too deeply nested.
 */
export function toLine(event: LogEvent): string {
  if (isDeeper(event, depthLevels)) {
    const reason = `event ${event.seq} is nested deeper than ${depthLevels} levels`;
    throw new ConsultaError("REFUSED", `${reason}; flatten it`);
  }
  const line = JSON.stringify(event);
  const bytes = Buffer.byteLength(line);
  if (bytes > limits.eventLineBytes) {
    const reason = `event ${event.seq} has ${bytes} bytes; the limit is ${limits.eventLineBytes}`;
    throw new ConsultaError("REFUSED", `${reason}: make its message shorter`);
  }
  return line;
}

/** The event of a line, or what is wrong with the line, to follow the line's number. */
export function parseLine(line: string, seq: number): LogEvent | string {
  // Spaces behind an event cover a torn write that stood there; they do not count.
  if (line.length > limits.eventLineBytes && line.trimEnd().length > limits.eventLineBytes) {
    return `is longer than the limit of ${limits.eventLineBytes} bytes`;
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return line.trim() === "" ? "is blank" : `is not JSON: ${quote(line)}`;
  }
  if (!isLogEvent(value)) return `is not an event: ${quote(line)}`;
  if (value.seq !== seq) return `has seq ${value.seq} where ${seq} must come`;
  if (mayBeDeep(line) && isDeeper(value, depthLevels))
    return `is nested deeper than ${depthLevels} levels`;
  return value;
}

/** Counting brackets costs a tenth of a walk, which only lines with many brackets need. */
function mayBeDeep(line: string): boolean {
  let closed = 0;
  for (const bracket of ["}", "]"]) {
    for (let at = line.indexOf(bracket); at >= 0; at = line.indexOf(bracket, at + 1)) {
      closed += 1;
      if (closed > depthLevels) return true;
    }
  }
  return false;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}
