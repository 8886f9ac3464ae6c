import type { JsonObject } from "../base/json.ts";
import { personName } from "../protocol/person-step.ts";

/** What became of a decision, in the word of the person who made or took it. */
export const outcomeWords = ["kept", "changed", "wrong"] as const;
export type OutcomeWord = (typeof outcomeWords)[number];

/** What the person put on record about a session that has ended; of several the last counts. */
export type PersonSaid = {
  decided?: { seq: number; at: string; text: string };
  judged?: { seq: number; at: string; says: OutcomeWord; because: string };
};

/** An event of the person, as the log holds it beside what every event has. */
export type PersonEvent =
  | { event: "decided"; decision: string }
  | { event: "judged"; verdict: OutcomeWord; because: string };

export function readPersonEvent(event: JsonObject): PersonEvent | undefined {
  const { decision, verdict, because } = event;
  if (event["from"] !== personName) return undefined;
  if (event["event"] === "decided")
    return typeof decision === "string" ? { event: "decided", decision } : undefined;
  const word = outcomeWords.find((it) => it === verdict);
  if (event["event"] !== "judged" || word === undefined) return undefined;
  return { event: "judged", verdict: word, because: typeof because === "string" ? because : "" };
}
