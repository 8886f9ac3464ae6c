import { isRecord, parseJsonObject, quote } from "../../base/json.ts";

type DelegateAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Whether a command tells its CLI to print JSON: `--output-format json`, `-o=json`, `--json`. */
function expectsJson(command: readonly string[]): boolean {
  return command.some((word, index) => {
    const isValue = word === "json" && command[index - 1]?.startsWith("-") === true;
    return isValue || /^-.*[-=]json$/.test(word);
  });
}

/**
 * Finds the answer of a headless CLI: JSON with `response` (Gemini CLI) or `result` (Claude Code),
 * or the plain text of one that was not told to print JSON. An error is never taken for an answer. `failure` says
 * how its process failed.
 */
export function delegateAnswer(
  stdout: string,
  failure: string | undefined,
  command: readonly string[],
): DelegateAnswer {
  const json = jsonIn(stdout);
  const fault = json === undefined ? undefined : faultIn(json);
  if (fault !== undefined) return fail(fault);
  if (failure !== undefined) return fail(`it ${failure}`);
  if (json === undefined && expectsJson(command) && stdout.trim() !== "") {
    // Anything else is a notice or a fault, and no answer.
    return fail(
      `it printed no JSON, as its options say, but ${quote(stdout.trim().split("\n").at(-1))}`,
    );
  }
  const text = json === undefined ? stdout : (json["response"] ?? json["result"]);
  if (typeof text === "string" && text.trim() !== "") return { ok: true, text: text.trim() };
  return fail(json === undefined ? "it printed nothing" : `it gave no answer: ${quote(json)}`);
}

function fail(reason: string): DelegateAnswer {
  return { ok: false, reason };
}

function faultIn(json: Record<string, unknown>): string | undefined {
  const { error, is_error: isError, result } = json;
  if (isRecord(error)) return `it reports ${quote(error["message"] ?? error)}`;
  if (typeof error === "string" && error !== "") return `it reports ${quote(error)}`;
  return isError === true ? `it reports ${quote(result)}` : undefined;
}

/** The JSON object that a CLI printed, perhaps after lines about itself. */
function jsonIn(text: string): Record<string, unknown> | undefined {
  const start = /(?:^|\n)[ \t]*\{/.exec(text);
  return start === null ? undefined : parseJsonObject(text.slice(start.index));
}

/**
 * Cuts a text into parts of at most so many bytes in UTF-8, after a line break where there is one
 * in the part's second half, and never within a character.
 */
export function chunksOf(text: string, bytesMax: number): string[] {
  const bytes = new TextEncoder().encode(text);
  const isWithin = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  const chunks: string[] = [];
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = Math.min(start + bytesMax, bytes.length);
    const lineEnd = bytes.lastIndexOf(0x0a, end - 1) + 1;
    if (end < bytes.length && lineEnd > start + bytesMax / 2) end = lineEnd;
    while (isWithin(end) && end > start) end -= 1;
    // At least one character, or it would never end.
    if (end === start) for (end += 1; isWithin(end); ) end += 1;
    chunks.push(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start, end)));
  }
  return chunks;
}
