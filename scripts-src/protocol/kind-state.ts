import { isRecord } from "../base/json.ts";
import type { Machine } from "./machine.ts";

/** The state of a machine, for what only its kind has; `isState` tells one that `initialState` made. */
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
