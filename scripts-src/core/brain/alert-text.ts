import type { AlertName } from "./alerts.ts";
import type { ParamsOf } from "./open-rpc.ts";

/** What an alert says to the model that it is about: how full, what that means, what to do. */
export function alertText(
  alert: AlertName,
  { token_percentage: percentage, raw_percentage: raw }: ParamsOf<`alert.${AlertName}`>,
  storeCommand: string,
): string {
  const window = raw === undefined ? "" : ` (${raw} % of the model's window)`;
  const fill = `Your context is ${percentage} % full${window}`;
  return `${fill}: ${advice[alert]} Keep what must not be lost: ${storeCommand}`;
}

const advice: Readonly<Record<AlertName, string>> = {
  memory_full: "it will be compacted soon, and details will go.",
  hallucination_risk:
    "what you recall of its early part may be wrong. Read files again before you rely on them.",
};
