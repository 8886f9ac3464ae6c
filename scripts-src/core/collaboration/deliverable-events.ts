import type { Attempt } from "./attempt.ts";
import { referenceOf } from "./deliverables.ts";
import type { Deliverable, Settings } from "./settings.ts";
import { deliverableEventNames } from "./state.ts";

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
export function deliverableFault(settings: Settings, attempt: Attempt): string | undefined {
  if (!isDeliverableEvent(settings, attempt.event)) return undefined;
  if (attempt.role !== "primary" && attempt.role !== "supporting") {
    return "deliverable events require role";
  }
  if (attempt.doc === undefined) return "deliverable events require doc";
  if (deliverableOf(settings, attempt) === undefined) {
    return attempt.role === "primary"
      ? "doc must reference the primary deliverable"
      : "doc must reference a declared supporting deliverable";
  }
  const isHash = /^[0-9a-f]{64}$/.test(attempt.sha256 ?? "");
  if (attempt.event === "deliverable_frozen" && !isHash)
    return "deliverable_frozen requires sha256";
  return undefined;
}
