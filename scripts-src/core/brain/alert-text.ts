import type { AlertName } from "./alerts.ts";
import type { ParamsOf } from "./open-rpc.ts";

/** What alerts that come together say to their model: how full, what that means, what to do. */
export function alertText(
  alerts: readonly AlertName[],
  { token_percentage: percentage, raw_percentage: raw }: ParamsOf<`alert.${AlertName}`>,
  storeCommand: string,
): string {
  const window = raw === undefined ? "" : ` (${raw} % of the model's window)`;
  const fill = `Your context is ${percentage} % full${window}`;
  const means = alerts.map((name) => meanings[name]).join("; ");
  const careful = alerts.includes("hallucination_risk")
    ? " Read files again before you rely on them."
    : "";
  return `${fill}: ${means}.${careful} Keep what must not be lost: ${storeCommand}`;
}

const meanings: Readonly<Record<AlertName, string>> = {
  memory_full: "it will be compacted soon, and details will go",
  hallucination_risk: "what you recall of its early part may be wrong",
};
