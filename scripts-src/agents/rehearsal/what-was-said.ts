import type { CheckedDraft } from "../../core/dialogue/message.ts";
import { isRecord, type JsonObject } from "../../core/json.ts";
import type { Scene } from "./scene.ts";

/** The disputed fact that the draft wants checked. */
export function owedFact({ draft }: Scene): string | undefined {
  const [first] = Array.isArray(draft["hypotheses"]) ? draft["hypotheses"] : [];
  const claim = isRecord(first) ? first["claim"] : undefined;
  return typeof claim === "string" ? claim : undefined;
}

export function pendingIn({ said }: Scene): string[] {
  return [...(said.at(-1)?.disagreements_pending ?? [])];
}

export function agreed({ said }: Scene, ...added: string[]): string[] {
  return [...new Set([...(said.at(-1)?.agreements_so_far ?? []), ...added])];
}

/** The colleague's own words are formally accepted, while they are its last ones. */
export function acceptance({ said, other }: Scene): JsonObject[] {
  const last = said.findLast(({ from }) => from === other);
  const because = last?.objections?.[0]?.because;
  return because === undefined ? [] : [{ kind: "accepted", point: because }];
}

export function toolFor({ probes }: Scene, claim: string): string {
  return probes.find((probe) => probe.claim === claim)?.tool ?? "a check by hand";
}

export function synthesisIn({ said }: Scene): string | undefined {
  return said.findLast((it) => it.synthesis !== undefined)?.synthesis;
}

export function evidenceIn({ said }: Scene): string | undefined {
  const proved = said.flatMap((it) => it.hypotheses ?? []).filter((it) => it.outcome !== "open");
  return proved.at(-1)?.evidence;
}

export function objects({ type, objections, checks }: CheckedDraft): boolean {
  const failed = (checks ?? []).some(({ outcome }) => outcome === "fails");
  return type === "COUNTER_PROPOSE" || (objections ?? []).length > 0 || failed;
}
