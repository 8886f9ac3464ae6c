import { isRecord, quote } from "../json.ts";

/** How a headless CLI ended, and what it said. */
export interface DelegateOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it was stopped or could not be started. */
  readonly stopped?: string;
}

type DelegateAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Finds the answer of a headless CLI: JSON with `response` (Gemini CLI) or `result` (Claude Code),
 * or the plain text that it printed. An error is never taken for an answer.
 */
export function delegateAnswer(end: DelegateOutput): DelegateAnswer {
  if (end.stopped !== undefined) return fail(end.stopped);
  const json = jsonIn(end.stdout);
  const fault = json === undefined ? undefined : faultIn(json);
  if (fault !== undefined) return fail(fault);
  if (end.exitCode !== 0) {
    const said = lastLine(end.stderr) || lastLine(end.stdout);
    return fail(`it ended with exit code ${end.exitCode}${said === "" ? "" : `: ${said}`}`);
  }
  const text = json === undefined ? end.stdout : (json["response"] ?? json["result"]);
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

/** The JSON object that a CLI printed, perhaps behind lines about itself. */
function jsonIn(text: string): Record<string, unknown> | undefined {
  const start = /(?:^|\n)[ \t]*\{/.exec(text);
  if (start === null) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(start.index));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}
