import type { JsonObject } from "../base/json.ts";
import type { Today } from "../protocol/protocol.ts";
import { marksOf } from "./marks.ts";
import type { DialogueState } from "./state.ts";
import { type Claim, isSeen, standsOf } from "./trust.ts";
import { verdictOf } from "./verdict.ts";

/** What a report says, for programs: the same facts under stable names. */
export function reportData(state: DialogueState, today: Today): JsonObject {
  const { outcome, trust, person } = state;
  const stale = today.changed.map(({ claim }) => claim);
  const { code, words, claims, seen, assumed, owner, remarks } = verdictOf(state, { stale });
  const agreed = outcome?.kind === "consensus" ? outcome.agreed : undefined;
  const text = outcome?.kind === "consensus" ? (agreed?.text ?? outcome.decision) : "";
  return {
    verdict: { code, words, claims, seen, assumed, owner, remarks: [...remarks] },
    decision: { position: agreed?.position ?? "", text },
    claims: trust.claims.map((claim) => claimData(claim, today)),
    changes: trust.flips.map((it) => ({ ...it })),
    first_answers: trust.firsts.map((it) => ({ ...it })),
    reservations: trust.reservations.map((it) => ({ ...it })),
    marks: marksOf(state).map(({ code, by, seq, text }) => ({ code, by, seq, text })),
    decided: person.decided === undefined ? null : { ...person.decided },
    outcome: person.judged === undefined ? null : { ...person.judged },
  };
}

function claimData(claim: Claim, { looked, changed }: Today): JsonObject {
  const { id, by, text, spec, expect, withdrawn, records, outcome } = claim;
  const since = changed.some((it) => it.claim === id)
    ? "changed"
    : looked.includes(id)
      ? "same"
      : "";
  return {
    ...{ id, by, text, spec, expect, withdrawn, since },
    status: !standsOf(claim) ? "fell" : isSeen(claim) ? "seen" : "assumed",
    evidence: records.map(({ by, seq, met }) => ({ id: `E${seq}`, by, met })),
    says: outcome === undefined ? null : { ...outcome },
  };
}
