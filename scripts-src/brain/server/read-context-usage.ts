import { constants, fstatSync } from "node:fs";
import type { SettingsCli } from "../../clis/hook-entries.ts";
import { orNothing } from "../../files/disk.ts";
import { readBytes, withRegularFile } from "../../files/safe-open.ts";
import type { TokenUsage } from "../rules/methods.ts";
import {
  ClaudeTranscript,
  CodexTranscript,
  GeminiTranscript,
  type TranscriptScan,
} from "../rules/usage-in-transcript.ts";

/** What follows the last answer may be large: blocks of this size are read, up to that many bytes. */
const blockBytes = 262_144;
const scanBytesMax = 8_388_608;
/** So many lines are more than any answer leaves behind it. */
const scanLinesMax = 20_000;

const scans: Readonly<Record<SettingsCli, new () => TranscriptScan>> = {
  claude: ClaudeTranscript,
  gemini: GeminiTranscript,
  codex: CodexTranscript,
};

/**
 * How full a session's context is, by its CLI's transcript. Undefined where nothing tells: no file
 * yet, nothing that may be read, no answer in what is looked at.
 */
export function readUsage(cli: SettingsCli, path: string): TokenUsage | undefined {
  const scan = new scans[cli]();
  // A hook that cannot tell says nothing: the transcript is the CLI's own business.
  orNothing(() => withRegularFile(path, constants.O_RDONLY, (file) => scanBackward(file, scan)));
  return scan.usage;
}

/** Passes the lines of a file to a scan, last one first, until it has seen enough. */
function scanBackward(file: number, scan: TranscriptScan): void {
  let position = fstatSync(file).size;
  const least = Math.max(0, position - scanBytesMax);
  // The beginning of a line whose end has been read already; in bytes, as it may cut a character.
  let rest: Buffer[] = [];
  let lines = 0;
  while (position > least) {
    const start = Math.max(least, position - blockBytes);
    const block = readBytes(file, start, position - start);
    position = start;
    let end = block.length;
    for (let at = block.lastIndexOf(0x0a, end - 1); at >= 0; at = lineBreakBefore(block, at)) {
      lines += 1;
      if (lines > scanLinesMax) return;
      const line = Buffer.concat([block.subarray(at + 1, end), ...rest]);
      rest = [];
      end = at;
      if (line.length > 0 && scan.take(line.toString("utf8"))) return;
    }
    rest.unshift(block.subarray(0, end));
  }
  // What begins before the bytes looked at is half a line: no scan can read it.
  if (position === 0 && rest.length > 0) scan.take(Buffer.concat(rest).toString("utf8"));
}

/** `lastIndexOf` counts a negative offset from the end. */
function lineBreakBefore(block: Buffer, at: number): number {
  return at === 0 ? -1 : block.lastIndexOf(0x0a, at - 1);
}
