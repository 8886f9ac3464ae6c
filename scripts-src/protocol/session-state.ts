import { isRecord, type JsonObject, type JsonValue } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import type { FoldedState, Kind, Report, ReportWants, SessionState } from "./protocol.ts";

/** The session before its first event. */
export function stateAtStart(kind: Kind, settings: JsonObject): SessionState {
  return { kind, state: kind.initialState(settings) };
}

export function stateAfter({ kind, state }: SessionState, event: LogEvent): SessionState {
  return { kind, state: kind.evolve(state, event) };
}

/** The state for a checkpoint, with its kind, version and settings. */
export function snapshotOf({ kind, state }: SessionState, settings: JsonObject): JsonValue {
  const { name, stateVersion: version } = kind;
  return { kind: name, version, settings: JSON.stringify(settings), state };
}

/** The session of a checkpoint; undefined when it is of another kind, version or settings. */
export function stateInSnapshot(
  kind: Kind,
  snapshot: JsonValue | undefined,
  settings: JsonObject,
): SessionState | undefined {
  if (!isRecord(snapshot) || snapshot["kind"] !== kind.name) return undefined;
  const { version, settings: text, state } = snapshot;
  if (version !== kind.stateVersion || text !== JSON.stringify(settings)) return undefined;
  // The log store has proved that a script of this user wrote this checkpoint, so its fields are not checked.
  return isFolded(state) ? { kind, state } : undefined;
}

function isFolded(state: JsonValue | undefined): state is FoldedState {
  return isRecord(state) && isRecord(state["user"]);
}

/** The report of the session as it stands after these events, which follow this point of its log. */
export function reportAfter(
  { kind, state }: SessionState,
  events: readonly LogEvent[],
  wants: Omit<ReportWants, "before">,
): Report {
  const after = events.reduce((it, event) => kind.evolve(it, event), state);
  return kind.report(after, events, { ...wants, before: state });
}

/**
 * The kind's own state, for code that works with one kind only. `isState` checks its shape.
 * @throws Error for a session of another kind, or a state of another shape: a bug.
 */
export function kindState<State>(
  { kind, state }: SessionState,
  name: string,
  isState: (value: unknown) => value is State,
): State {
  if (kind.name === name && isState(state)) return state;
  throw new Error(`a ${kind.name} is no ${name}`);
}
