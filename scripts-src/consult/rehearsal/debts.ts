import { isRecord, type JsonObject } from "../../base/json.ts";
import type { Scene } from "./scene.ts";

/** Answers, checks and the self-check, where the draft asks for them. */
export function debts({ draft, checks }: Scene): JsonObject {
  const owed: JsonObject = {};
  if (Array.isArray(draft["answers"])) {
    owed["answers"] = draft["answers"].flatMap((entry) =>
      isRecord(entry) && entry["question"] !== undefined
        ? [{ question: entry["question"], answer: "Numbers from real use that speak for it." }]
        : [],
    );
  }
  if (draft["self_check"] !== undefined)
    owed["self_check"] = "I am a script: I follow the protocol and defend nothing.";
  if (checks.length > 0) owed["checks"] = checks.map((it) => ({ ...it }));
  return owed;
}

/** Records of its own that the draft names: what a change of position rests on. */
export function because({ checks }: Scene, judgement: string): JsonObject {
  const seen = checks.flatMap(({ evidence }) => (evidence === undefined ? [] : [evidence]));
  return { because: seen.length > 0 ? seen : [`judgement: ${judgement}`] };
}
