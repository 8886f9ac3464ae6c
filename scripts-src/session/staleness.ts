import { inline } from "../base/json.ts";
import { lookAgain } from "../evidence/recheck.ts";
import type { SeenBefore } from "../protocol/protocol.ts";

/** A record that a decision rests on and that no longer holds: what it saw has changed or is gone. */
export interface StaleRecord {
  readonly claim: string | undefined;
  readonly spec: string;
  readonly why: string;
}

/**
 * Reads cited lines and searches again, as they are in the project now; lines that moved count as they
 * were. What commands said is not looked at: only `check --replay` runs them.
 */
export function staleOf(records: readonly SeenBefore[], project: string): StaleRecord[] {
  const known = new Map<string, ReturnType<typeof lookAgain>>();
  return records.flatMap((record) => {
    const key = `${record.sha256} ${record.spec} ${record.expect ?? ""}`;
    const since = known.has(key) ? known.get(key) : lookAgain(record, project);
    known.set(key, since);
    const { claim, spec } = record;
    return since?.now === "changed" ? [{ claim, spec, why: since.why }] : [];
  });
}

const shownMax = 5;

/** One line for anyone who relies on a decision; undefined while nothing has changed. */
export function staleText(stale: readonly StaleRecord[]): string | undefined {
  if (stale.length === 0) return undefined;
  const places = stale.slice(0, shownMax).map(({ claim, spec }) => {
    const about = claim === undefined ? "" : ` (${claim})`;
    return `${inline(spec, 120)}${about}`;
  });
  const more = stale.length > shownMax ? ` and ${stale.length - shownMax} more` : "";
  return `rests on lines that have changed since: ${places.join(", ")}${more}`;
}
