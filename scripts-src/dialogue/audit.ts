import { inline } from "../base/json.ts";
import { plural } from "../base/plural.ts";
import { plainWord } from "../base/quote-text.ts";
import { type AuditAnswer, type AuditRecord, auditsMax } from "../protocol/audit.ts";
import { changedIn, changedText, isSeen, isValid, lastMet, seenBy, validClaims } from "./claims.ts";
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

/** The message of a decision that an audit may read now, and that would be news. */
export function auditWanted(state: DialogueState): number | undefined {
  const decision = decisionToAudit(state);
  if (typeof decision === "string") return undefined;
  const isRead = (it: Claim) => lastMet(state, it) === undefined || saidOf(state, it) !== undefined;
  const isNews = auditOf(state) === undefined || !validClaims(state).every(isRead);
  return isNews ? decision.seq : undefined;
}

/** The decision as an audit may read it, closed or waiting to be confirmed, or why there is none. */
export function decisionToAudit(state: DialogueState) {
  const { id, phase, audits, offer, outcome, turn } = state;
  if (audits >= auditsMax)
    return `session ${id} has been audited ${audits} times, which is the most`;
  const isAnswered = outcome === undefined && turn.every((it) => it === offer?.by);
  const none = `session ${id} (${phase}) has no decision to audit: no AGREE waits for its answer`;
  return isAnswered ? none : (decisionIn(state) ?? none);
}

/** Why an audit cannot be entered; undefined when it can. What was answered while it was read, it still read. */
export function auditFault(state: DialogueState, { agree }: AuditRecord): string | undefined {
  const { seq } = decisionIn(state) ?? {};
  if (state.audits < auditsMax && seq === agree) return undefined;
  const fault = decisionToAudit(state);
  if (typeof fault === "string") return fault;
  return `the audit is of message ${agree}, and the decision is in message ${seq}; audit that`;
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

/** What a claim is worth, for all who tell of it. */
interface Standing {
  /** Whether a decision may rest on it. */
  readonly status: "fell" | "assumed" | "seen";
  /** Each side has seen it; of that, whether an auditor sees it shown, or nobody has said. */
  readonly isSeen: boolean;
  readonly audited: "shown" | "not shown" | "no";
  /** The same in words; that nobody has audited it, the verdict says. */
  readonly text: string;
}

export function standingOf(state: DialogueState, claim: Claim): Standing {
  const { says } = saidOf(state, claim) ?? {};
  const isBySeen = isSeen(claim);
  // Of one that somebody keeps it does not count that the lines are others now.
  const isDoubted = says === undefined ? claim.kept !== undefined : says !== "shows";
  const audited = isDoubted ? "not shown" : says === undefined ? "no" : "shown";
  const isAssumed = !isBySeen || isDoubted;
  const status = !isValid(claim) ? "fell" : isAssumed ? "assumed" : "seen";
  return { status, isSeen: isBySeen, audited, text: standingText(claim, isBySeen, audited) };
}

function standingText(claim: Claim, isBySeen: boolean, audited: Standing["audited"]): string {
  const who = seenBy(claim).join(" and ");
  const changed = changedIn(claim);
  if (changed.length > 0) return changedText(changed);
  if (!isBySeen) return who === "" ? "assumed" : `assumed, seen by ${who} only`;
  if (audited === "no") return "seen by both";
  if (audited === "shown") return "seen by both and shown";
  const { kept } = claim;
  return `assumed, seen by both, ${kept === undefined ? "not shown" : `kept by ${kept.by}`}`;
}

/** Claims that the auditor does not see shown, and that nobody has kept with a reason, where that helps. */
export function doubtedClaims(state: DialogueState): Claim[] {
  const isAnswered = ({ kept }: Claim) => kept !== undefined && !state.requireSeen;
  const isDoubted = (it: Claim) => standingOf(state, it).audited === "not shown";
  return hasEnded(state) ? [] : validClaims(state).filter((it) => !isAnswered(it) && isDoubted(it));
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
