import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { ConsultaError } from "../base/errors.ts";
import { errnoOf } from "../files/errno.ts";

interface Lines {
  readonly lines: string[];
  /** How many came before these. */
  readonly before: number;
}

const linesMax = 500;
const charactersMax = 500_000;

/**
 * The lines of a file, or of standard input for `-`, a handful at a time: it may be large.
 * @throws ConsultaError REFUSED when it cannot be read.
 */
export async function* streamLines(path: string): AsyncGenerator<Lines> {
  const input = path === "-" ? process.stdin : createReadStream(path);
  let [lines, before, characters]: [string[], number, number] = [[], 0, 0];
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (lines.length >= linesMax || characters + line.length > charactersMax) {
        yield { lines, before };
        [lines, before, characters] = [[], before + lines.length, 0];
      }
      lines.push(line);
      characters += line.length;
    }
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    const isMissing = errnoOf(cause) === "ENOENT";
    const reason = isMissing ? "there is no such file; check the path" : text;
    throw new ConsultaError("REFUSED", `cannot read ${path}: ${reason}`, { cause });
  }
  yield { lines, before };
}
