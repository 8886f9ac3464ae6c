import type { BrainStore } from "../rules/brain-store.ts";
import type { DecisionToday } from "./decision-today.ts";
import type { Delegate } from "./delegate.ts";
import type { Sessions } from "./sessions.ts";

/** What a running brain consists of. */
export interface Brain {
  readonly store: BrainStore;
  readonly today: DecisionToday;
  readonly sessions: Sessions;
  readonly delegate: Delegate;
  readonly started: string;
  readonly now: () => string;
  readonly connections: () => number;
  /** Learns what sessions of Consulta came to since. */
  readonly learn: () => Promise<void>;
}
