import type { Gate } from "./intake-check.ts";
import type { RemoteStore } from "./remote-store.ts";

/** The store of a session beside whose log its person keeps one of their own. */
export interface SessionStore extends RemoteStore {
  /** Where that other log is kept; it is signed where the session is, and has a gate of its own. */
  beside(gate: Gate): RemoteStore;
}
