import { parseCheckSpec } from "../protocol/check-spec.ts";
import type { EvidenceRecord } from "../protocol/evidence.ts";
import type { EvidenceNeeded, Submission } from "../protocol/protocol.ts";
import { isFor } from "./evidence.ts";
import { standsOf } from "./evidence-state.ts";
import { type CheckedDraft, parseDraft } from "./message.ts";
import type { SendAttempt } from "./send-attempt.ts";
import { type DialogueState, hasEnded } from "./state.ts";

/**
 * What the script reads before a message of ours is judged: the lines and searches of its own new
 * claims; and where it closes the session, those of every claim that the decision rests on.
 */
export function evidenceNeeded(
  state: DialogueState,
  { participant, origin, fields }: Submission,
): EvidenceNeeded[] {
  if (origin !== "script" || hasEnded(state)) return [];
  const { message } = fields;
  const draft = message === undefined ? [] : parseDraft(message, true);
  if (Array.isArray(draft) || !state.participants.includes(participant)) return [];
  return neededFor(state, draft, participant);
}

export function neededFor(state: DialogueState, draft: CheckedDraft, by: string): EvidenceNeeded[] {
  return [...ofNewClaims(draft), ...(closes(state, draft, by) ? ofStanding(state) : [])];
}

/** Of what was read for a message, that of its own claims, in their order. */
export function recordsBrought({ draft, evidence = [] }: SendAttempt): readonly EvidenceRecord[] {
  return evidence.slice(0, ofNewClaims(draft).length);
}

function ofNewClaims({ claims = [] }: CheckedDraft): EvidenceNeeded[] {
  return claims.flatMap(({ check = "", expect, withdrawn }, claim) =>
    withdrawn === undefined ? needed(claim, check, expect ?? "") : [],
  );
}

function ofStanding({ trust }: DialogueState): EvidenceNeeded[] {
  return trust.claims
    .filter((it) => standsOf(it) && it.records.some(({ met }) => met))
    .flatMap((claim) => {
      const seen = trust.evidence.findLast((it) => it.met && isFor(it, claim));
      const was = seen === undefined ? {} : { sha256: seen.sha256 };
      return needed(claim.id, claim.check, claim.expect).map((it) => ({ ...it, ...was }));
    });
}

function needed(claim: number | string, check: string, expect: string): EvidenceNeeded[] {
  const spec = parseCheckSpec(check);
  if ("fault" in spec || spec.kind === "run") return [];
  return [{ claim, spec, ...(expect === "" ? {} : { expect }) }];
}

function closes({ trust }: DialogueState, { type }: CheckedDraft, by: string): boolean {
  return type === "AGREE" && trust.offer !== undefined && trust.offer.by !== by;
}
