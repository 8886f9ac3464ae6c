import { inline } from "../base/json.ts";
import { plural } from "../base/plural.ts";
import { plainWord } from "../base/quote-text.ts";
import { type AuditAnswer, type AuditRecord, auditsMax } from "../protocol/audit.ts";
import { isSeen, isValid, lastMet, seenText, validClaims } from "./claims.ts";
import { type Claim, type DialogueState, hasEnded } from "./state.ts";

/** The decision that both have accepted, or that one has put before the other to confirm. */
export function decisionIn({ outcome, offer }: DialogueState) {
  if (outcome === undefined) return offer;
  if (outcome.kind !== "consensus") return undefined;
  const { seq, by, agreed, decision } = outcome;
  return { seq, by, position: agreed?.position ?? "", text: agreed?.text ?? decision };
}

/** The audit of the decision that stands, or stood when it was left to the user. */
export function auditOf(state: DialogueState): AuditRecord | undefined {
  const { audit, offer } = state;
  const { seq } = decisionIn(state) ?? offer ?? {};
  return audit?.agree === seq ? audit : undefined;
}

/** The message of a decision that the other side may confirm now, while another audit may be made and would be news. */
export function auditWanted(state: DialogueState): number | undefined {
  const { offer, outcome, turn, audits } = state;
  const isAnswered = outcome === undefined && turn.every((it) => it === offer?.by);
  if (audits >= auditsMax || isAnswered) return undefined;
  const isRead = (it: Claim) => lastMet(state, it) === undefined || saidOf(state, it) !== undefined;
  const isNews = auditOf(state) === undefined || !validClaims(state).every(isRead);
  return isNews ? decisionIn(state)?.seq : undefined;
}

/** The decision as an audit may read it, or why there is none. */
export function decisionToAudit(state: DialogueState) {
  const { id, phase, audits } = state;
  if (audits >= auditsMax)
    return `session ${id} has been audited ${audits} times, which is the most`;
  const none = "has no decision to audit: nobody has sent an AGREE that stands";
  return decisionIn(state) ?? `session ${id} (${phase}) ${none}`;
}

/** Why an audit cannot be entered; undefined when it can. */
export function auditFault(state: DialogueState, { agree }: AuditRecord): string | undefined {
  const decision = decisionToAudit(state);
  if (typeof decision === "string") return decision;
  const now = `the decision is in message ${decision.seq}; audit that`;
  return decision.seq === agree ? undefined : `the audit is of message ${agree}, and ${now}`;
}

/**
 * What the newest audit says of a claim, whatever is decided since: as long as its lines are those that were
 * read. What a command prints may differ each time.
 */
export function saidOf(state: DialogueState, claim: Claim) {
  const { audit } = state;
  const seen = lastMet(state, claim);
  const isAsRead = ({ sha256 }: { sha256: string }) =>
    seen === undefined || seen.kind === "run" || seen.sha256 === sha256;
  const isRead = audit?.read.some((it) => it.claim === claim.id && isAsRead(it));
  return isRead ? audit?.answer.claims.find(({ id }) => id === claim.id) : undefined;
}

/** Whether the auditor does not see it shown: kept or not, it is an assumption. */
function isDoubted(state: DialogueState, claim: Claim): boolean {
  return (saidOf(state, claim)?.says ?? "shows") !== "shows";
}

/** What a claim is worth, for all who tell of it; of a kept one that no auditor sees shown, that somebody keeps it. */
export type Standing =
  | ("seen and shown" | "seen, not shown" | "kept: assumed" | "seen, not audited")
  | ("assumed" | "fell");

export function standingOfClaim(state: DialogueState, claim: Claim): Standing {
  if (!isValid(claim)) return "fell";
  if (!isSeen(claim)) return "assumed";
  const { says } = saidOf(state, claim) ?? {};
  if (says === "shows") return "seen and shown";
  if (claim.kept !== undefined) return "kept: assumed";
  return says === undefined ? "seen, not audited" : "seen, not shown";
}

/** The same in short: whether a decision may rest on it. */
export function claimStatus(state: DialogueState, claim: Claim): "fell" | "seen" | "assumed" {
  const standing = standingOfClaim(state, claim);
  if (standing === "fell") return standing;
  return standing === "seen and shown" || standing === "seen, not audited" ? "seen" : "assumed";
}

/** Why an AGREE cannot close a session that takes only what is seen, and the claims in its way but for those `left`. */
export function notClosable(
  state: DialogueState,
  left: readonly string[] = [],
): { readonly why: string; readonly claims: readonly Claim[] } | undefined {
  if (!state.requireSeen) return undefined;
  const [owner] = ownersOf(state);
  const no = `the decision is the user's (${owner?.kind}): no more than a recommendation; send ESCALATE`;
  if (owner !== undefined) return { why: no, claims: [] };
  const isUnshown = (it: Claim) =>
    ["seen, not shown", "kept: assumed"].includes(standingOfClaim(state, it));
  const claims = state.claims.filter((it) => !left.includes(it.id) && isUnshown(it));
  const ids = claims.map(({ id }) => id).join(", ");
  const why = `not shown, says the auditor: ${ids}: its author withdraws it, or ESCALATE`;
  return claims.length === 0 ? undefined : { why, claims };
}

/** The same in words; that nobody has audited it, the verdict says. */
export function standingText(state: DialogueState, claim: Claim): string {
  switch (standingOfClaim(state, claim)) {
    case "seen and shown":
      return "seen by both and shown";
    case "seen, not shown":
      return "assumed, seen by both, not shown";
    case "kept: assumed":
      return `assumed, seen by both, kept by ${claim.kept?.by}`;
    default:
      return seenText(claim);
  }
}

/** Claims that the auditor does not see shown, and that nobody has kept with a reason. */
export function doubtedClaims(state: DialogueState): { id: string; why: string }[] {
  if (hasEnded(state)) return [];
  const open = validClaims(state).filter((it) => it.kept === undefined && isDoubted(state, it));
  return open.map((it) => ({ id: it.id, why: saidOf(state, it)?.why ?? "" }));
}

/** Who says that the decision is the user's: a side, the user's words in the question, the auditor. */
export function ownersOf(state: DialogueState): DialogueState["owner"] {
  const { kind = "none", why: words = "" } = auditOf(state)?.answer.owner ?? {};
  return kind === "none"
    ? state.owner
    : [...state.owner, { by: "the auditor", kind, seq: 0, words }];
}

/** What the auditor says of a claim, and who keeps it all the same, for every reader. */
export function claimSayings(state: DialogueState, claim: Claim): string[] {
  const { says, why = "", quote = "" } = saidOf(state, claim) ?? {};
  const what = says === "cannot_tell" ? "cannot tell" : "does not show it";
  const told = says === "shows" ? `shows it: ${inline(quote, 160)}` : `${what}: ${inline(why)}`;
  const { kept } = claim;
  const keeping = kept && `kept by ${kept.by}, because ${inline(kept.because)}`;
  return [
    ...(says === undefined ? [] : [`${auditorName(state)}: ${told}`]),
    ...(keeping === undefined ? [] : [keeping]),
  ];
}

/** The same of the decision. */
export function decisionSayings(state: DialogueState): string[] {
  const { answer } = auditOf(state) ?? {};
  if (answer === undefined) return [];
  const { unsupported, contradicts: other, dissent, owner } = answer;
  const against = other && `"${other.text}" is another decision than "${other.position}"`;
  return [
    ...(owner.kind === "none" ? [] : [`the user's to decide: ${owner.kind}: ${owner.why}`]),
    ...(against === undefined ? [] : [against]),
    ...dissent.map((it) => `still objects: ${it}`),
    ...unsupported.map((it) => `rests on no claim: ${it}`),
  ].map((it) => `${auditorName(state)}: ${inline(it, 400)}`);
}

function auditorName({ audit }: DialogueState): string {
  return `auditor (${plainWord(audit?.cli ?? "")}, saw only the evidence)`;
}

/** How many faults of the decision itself an auditor names. */
export function remarksIn({ unsupported, contradicts, dissent }: AuditAnswer): number {
  return unsupported.length + dissent.length + (contradicts === undefined ? 0 : 1);
}

/** The same with the claims that it does not see shown. */
export function faultsFound(answer: AuditAnswer): number {
  return remarksIn(answer) + answer.claims.filter(({ says }) => says !== "shows").length;
}

/** One line for a list. */
export function auditSummary({ cli, answer }: AuditRecord): string {
  const { claims, owner } = answer;
  const shown = claims.length - faultsFound(answer) + remarksIn(answer);
  const own = owner.kind === "none" ? "" : `; the user's to decide: ${owner.kind}`;
  const remarks = plural(remarksIn(answer), "remark");
  return `audited by ${cli}: ${shown} of ${plural(claims.length, "claim")} shown, ${remarks} on the decision${own}`;
}
