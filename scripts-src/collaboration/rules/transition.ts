import type { Condition } from "./conditions.ts";
import type { EventName, Phase } from "./state.ts";

/** One row of the machine that transitions.ts draws: what an event needs and where it leads. */
export interface Transition {
  readonly event: EventName;
  /** Only in this schema; in both where it is not said. */
  readonly schema?: 2;
  readonly role?: "primary" | "supporting";
  readonly from: readonly (Phase | "new")[];
  readonly who: "any participant" | "the owner" | "who is waited for";
  readonly needs: readonly Condition[];
  readonly to: Phase | "same" | "before";
  readonly waitingFor: Waiting;
  /** Where it leads instead when nobody is left to wait for. */
  readonly last?: { readonly to: Phase; readonly waitingFor: Waiting };
}

export type Waiting =
  | "owner"
  | "others"
  | "everyone"
  | "the rest"
  | "nobody"
  | "as before"
  | "as before the block";
