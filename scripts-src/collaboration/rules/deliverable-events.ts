import { type Deliverable, referenceOf } from "./deliverables.ts";
import { type Fault, fault } from "./faults.ts";
import type { Settings } from "./settings.ts";
import { deliverableEventNames } from "./state.ts";
import type { Attempt } from "./transitions.ts";

/** Whether the event is about a deliverable; only schema 2 has such events. */
export function isDeliverableEvent(settings: Settings, event: string): boolean {
  return settings.schema === 2 && deliverableEventNames.some((name) => name === event);
}

/** The declared deliverable that the attempt is about; undefined when it names none. */
export function deliverableOf(settings: Settings, attempt: Attempt): Deliverable | undefined {
  const { deliverables } = settings;
  if (deliverables === null || attempt.doc === undefined) return undefined;
  const declared = attempt.role === "supporting" ? deliverables.supporting : [deliverables.primary];
  return declared.find((it) => referenceOf(deliverables, it) === attempt.doc);
}

/** What is wrong with the fields of a deliverable event, files aside; undefined when nothing is. */
export function deliverableFault(settings: Settings, attempt: Attempt): Fault | undefined {
  if (!isDeliverableEvent(settings, attempt.event)) return undefined;
  if (attempt.role !== "primary" && attempt.role !== "supporting") {
    return fault("no role");
  }
  if (attempt.doc === undefined) return fault("no doc");
  if (deliverableOf(settings, attempt) === undefined) {
    return fault(attempt.role === "primary" ? "not the primary" : "not a supporting one");
  }
  const isHash = /^[0-9a-f]{64}$/.test(attempt.sha256 ?? "");
  if (attempt.event === "deliverable_frozen" && !isHash) return fault("no hash");
  return undefined;
}
