import type { LogEvent } from "../log/event.ts";

/** How far a message has come: `rung`, its recipient was notified; `in_turn`, it has seen it (stored names). */
export const stages = ["rung", "in_turn"] as const;
export type Stage = (typeof stages)[number];

/** That these messages have reached this stage, as a script of ours records it for their recipient. */
export interface DeliveryNote {
  readonly participant: string;
  readonly stage: Stage;
  readonly messages: readonly number[];
  /** The script that did it. */
  readonly by: string;
  readonly at: string;
  readonly id: string;
}

/** The same for what the person said or did: the event's author has seen it. */
export const heardNote = "heard";

/** Whether an event only records a delivery: then its author did not act. */
export function isDeliveryNote({ event }: LogEvent): boolean {
  return event === heardNote || stages.some((stage) => stage === event);
}
