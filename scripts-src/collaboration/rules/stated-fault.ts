import { ConsultaError } from "../../base/errors.ts";
import { isRecord, parseStrictJson, quote } from "../../base/json.ts";
import { phases } from "./state.ts";

/**
 * Why what `protocol.json` says of the phase cannot be true of any log: somebody wrote it by hand.
 * A phase that is only older than the log is what a crash leaves, and is mended.
 */
export function statedFault(text: string): string | undefined {
  const phase = statedPhase(text);
  if (phases.some((name) => name === phase)) return undefined;
  return (
    `protocol.json currentPhase must be one of [${phases.map((name) => `'${name}'`).join(", ")}]: ` +
    `it is ${quote(phase)}; the rest here follows from events.jsonl; validate --repair writes it anew`
  );
}

function statedPhase(text: string): unknown {
  try {
    const value = parseStrictJson(text, "protocol.json");
    return isRecord(value) ? value["currentPhase"] : undefined;
  } catch (cause) {
    if (cause instanceof ConsultaError) return undefined;
    throw cause;
  }
}
