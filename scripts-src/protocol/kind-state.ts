import { isRecord } from "../base/json.ts";
import type { Machine } from "./machine.ts";

/**
 * The kind's own state inside a machine, for code that works with one kind only. `isState` checks its shape.
 * @throws Error for a machine of another kind, or a state of another shape: a bug.
 */
export function kindState<State>(
  machine: Machine,
  kind: string,
  isState: (value: unknown) => value is State,
): State {
  const snapshot = machine.snapshot();
  const state = isRecord(snapshot) ? snapshot["state"] : undefined;
  if (machine.kind === kind && isState(state)) return state;
  throw new Error(`a ${machine.kind} is no ${kind}`);
}
