import type { LogEvent } from "../log/event.ts";

/** How far a message came on its way to its reader: announced to it, put before it. */
export const stages = ["rung", "in_turn"] as const;
export type Stage = (typeof stages)[number];

/** What a script of ours enters for a recipient: these messages have reached this stage. */
export interface DeliveryNote {
  readonly participant: string;
  readonly stage: Stage;
  readonly messages: readonly number[];
  /** The script that did it. */
  readonly by: string;
  readonly at: string;
  readonly id: string;
}

/** The same for what the person said or did: it was put before its author. */
export const heardNote = "heard";

/** Whether an event only notes a delivery: its author has not acted by it. */
export function isDeliveryNote({ event }: LogEvent): boolean {
  return event === heardNote || stages.some((stage) => stage === event);
}
