import { parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { sha256 } from "../files/hash.ts";
import { bareLine } from "./chain.ts";
import { rawLines } from "./raw-lines.ts";

/** What the events' `prev` says about a log. */
export interface ChainCheck {
  /** How many events name the line before them, and name it right. */
  readonly links: number;
  /** Runs of events without `prev`: made by others. */
  readonly unchained: readonly SeqRun[];
  /** The first lines that are not those after which the next event was appended. */
  readonly changed: readonly ChangedLine[];
}

export interface SeqRun {
  readonly from: number;
  readonly to: number;
}

/** `nextSeq` was appended after another line than the one before it; 0 stands for none. */
export interface ChangedLine {
  readonly seq: number;
  readonly line: number;
  readonly nextSeq: number;
}

/** A log without any event. */
export const emptyChain: ChainCheck = { links: 0, unchained: [], changed: [] };

/** Compares each line of a log with what the next one says of it; blank lines do not count. */
export function checkChain(log: number): ChainCheck {
  const found = { links: 0, unchained: [] as SeqRun[], changed: [] as ChangedLine[] };
  let before = { seq: 0, line: 0, hash: sha256(new Uint8Array()) };
  for (const { bytes, number } of rawLines(log)) {
    const bare = bareLine(bytes);
    if (bare.length === 0) continue;
    const seq = before.seq + 1;
    const prev = prevIn(bare);
    if (prev === undefined) extend(found.unchained, seq);
    else if (prev === before.hash) found.links += 1;
    else if (found.changed.length < limits.faultsTold)
      found.changed.push({ seq: before.seq, line: before.line, nextSeq: seq });
    before = { seq, line: number, hash: sha256(bare) };
  }
  return found;
}

/** Undefined where there is none; a line that is no event at all is told as damage. */
function prevIn(line: Uint8Array): unknown {
  return parseJsonObject(Buffer.from(line).toString())?.["prev"];
}

function extend(runs: SeqRun[], seq: number): void {
  const last = runs.at(-1);
  if (last?.to === seq - 1) runs[runs.length - 1] = { from: last.from, to: seq };
  else if (runs.length < limits.faultsTold) runs.push({ from: seq, to: seq });
}
