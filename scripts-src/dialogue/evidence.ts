import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import { notBefore } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { parseCheckSpec, specText } from "../protocol/check-spec.ts";
import { type EvidenceRecord, lookedFor, parseEvidence } from "../protocol/evidence.ts";
import { type Decision, refuse, type Submission } from "../protocol/protocol.ts";
import { type Claim, type EvidenceNote, type Trust, withMark } from "./evidence-state.ts";
import { type DialogueState, hasEnded, sideOf } from "./state.ts";

/** A record of this seq as messages name it. */
export function evidenceId({ seq }: { seq: number }): string {
  return `E${seq}`;
}

/** The seq of the record that a text names; undefined where it begins with none. */
export function seqOfEvidence(text: string | undefined): number | undefined {
  const seq = /^\s*E(\d{1,15})\b/.exec(text ?? "")?.[1];
  return seq === undefined ? undefined : Number(seq);
}

/** A check in the one form that records have; words that are none stay as they are. */
export function checkSpecOf(check: string): string {
  const spec = parseCheckSpec(check);
  return "fault" in spec ? check.trim() : specText(spec);
}

export function noteOf(record: EvidenceRecord, seq: number, by: string, at: string): EvidenceNote {
  const { first: _first, last: _last, dirty: _dirty, process, ...rest } = record;
  const { cli } = process;
  const key = cli === undefined ? process : cli;
  return {
    ...rest,
    seq,
    by,
    at,
    process: `${key.pid}@${key.started}`,
    underCli: cli !== undefined,
  };
}

/** Whether `consult` looked for a participant whose CLI has no shell. */
export function isMadeByConsult(maker: string): boolean {
  return maker.includes(`@${lookedFor("")}`);
}

/** Whether a record is one of this claim's check, with the words that the claim expects. */
export function isFor(
  { claim, spec, expect = "" }: Pick<EvidenceNote, "claim" | "spec" | "expect">,
  of: Claim,
): boolean {
  if (claim !== undefined && claim !== of.id) return false;
  return spec === of.spec && expect === of.expect;
}

/** The newest record that a side has of a claim. */
export function newestFor(
  { trust }: DialogueState,
  by: string,
  claim: Claim,
): EvidenceNote | undefined {
  return trust.evidence.findLast((it) => it.by === by && isFor(it, claim));
}

/** Enters a record: what it shows of the claims that it is for, and that it is progress. */
export function withEvidence(state: DialogueState, note: EvidenceNote): DialogueState {
  const { trust } = state;
  const settled = new Set<string>();
  const claims = trust.claims.map((claim) => {
    if (!isFor(note, claim)) return claim;
    if (note.met && claim.by !== note.by) settled.add(claim.id);
    return withRecord(claim, note);
  });
  const evidence = [...trust.evidence, note].slice(-limits.evidenceKept);
  const commit = note.commit ?? trust.commit;
  const seen: Trust = { ...trust, evidence, claims, commit };
  const key = progressKey(note);
  const isNews = !state.counted.includes(key);
  return {
    ...withProgress({ ...state, trust: marked(seen, claims) }, isNews),
    counted: isNews ? [...state.counted, key].slice(-limits.rememberedItems) : state.counted,
    obligations: state.obligations.filter(({ id }) => !settled.has(id)),
  };
}

/** Once both have spoken, what comes is progress of the round to come. */
function withProgress(state: DialogueState, isNews: boolean): DialogueState {
  if (!isNews) return state;
  const isOver = state.sentInRound.length >= state.participants.length;
  if (!isOver) return { ...state, progressInRound: true };
  return { ...state, trust: { ...state.trust, progressNext: true } };
}

/** The same outcome of the same check by the same side is known already. */
export function progressKey({
  by,
  spec,
  sha256,
  met,
}: Pick<EvidenceNote, "by" | "spec" | "sha256" | "met">): string {
  return `evidence:${by}:${met}:${sha256.slice(0, 16)}:${spec.slice(0, 160)}`;
}

export function withRecord(claim: Claim, note: EvidenceNote): Claim {
  const { by, seq, met, process, ms, underCli } = note;
  const others = claim.records.filter((it) => it.by !== by);
  return { ...claim, records: [...others, { by, seq, met, process, ms, underCli }] };
}

/** A replay that is ten times faster than the run may not have been one. */
const suspiciousFactor = 10;

function marked(trust: Trust, claims: readonly Claim[]): Trust {
  return claims.reduce((next, claim) => {
    const own = claim.records.find(({ by }) => by === claim.by);
    const other = claim.records.find(({ by }) => by !== claim.by);
    if (own === undefined || other === undefined) return next;
    const { seq, by } = other;
    const isOne = own.underCli && other.underCli && own.process === other.process;
    const shared = isOne
      ? withMark(next, {
          ...{ code: "one_process", by: "", seq },
          text: "one process made the records of both sides",
        })
      : next;
    const kind = trust.evidence.find((it) => it.seq === seq)?.kind;
    if (kind !== "run" || own.ms < suspiciousFactor * Math.max(other.ms, 1)) return shared;
    const text = `${by} replayed ${claim.id} in ${other.ms} ms; the run took ${own.ms} ms`;
    return withMark(shared, { code: "fast_replay", by, seq, text });
  }, trust);
}

/**
 * Decides on a record that a script made for its participant: it changes no turn, and any number may
 * come while the session is open.
 */
export function decideEvidence(state: DialogueState, submission: Submission): Decision {
  const { participant, fields, at, id } = submission;
  const record = fields["evidence"] === undefined ? undefined : parseEvidence(fields["evidence"]);
  if (record === undefined || submission.origin !== "script")
    return refuse("evidence is made by check and append-event, and by nothing else");
  const fault = evidenceFault(state, participant, record);
  if (fault !== undefined) return refuse(fault);
  const claim = record.claim === undefined ? "" : ` for ${record.claim}`;
  const event: LogEvent = {
    seq: state.seq + 1,
    from: participant,
    event: "evidence",
    at: notBefore(state.lastAt, at),
    summary: `${record.met ? "met" : "not met"}${claim}: ${record.spec}`
      .slice(0, limits.summaryCharacters)
      .toWellFormed(),
    id,
    record: JSON.parse(JSON.stringify(record)),
  };
  return { ok: true, event };
}

/** What is wrong with a record at its place; undefined when nothing is. */
export function evidenceFault(
  state: DialogueState,
  by: string,
  record: EvidenceRecord,
): string | undefined {
  if (hasEnded(state) && !cameWithTheEnd(state, by, record))
    return `session ${state.id} has ended (${state.phase}): it takes no evidence`;
  if (state.phase === "new" || !state.participants.includes(by))
    return `${by} is not in session ${state.id}; ${nameHint(by, state.participants, "its participants are")}`;
  const { claim: id } = record;
  if (id === undefined || isSealedClaim(state, by, id)) return undefined;
  const claim = state.trust.claims.find((it) => it.id === id);
  if (claim === undefined) {
    const known = state.trust.claims.filter(({ withdrawn }) => withdrawn === "");
    const ids = known.map((it) => it.id);
    return `there is no claim ${id}; ${nameHint(id, ids, "there are:")}`;
  }
  if (record.spec !== claim.spec) return `${id} is checked by ${claim.spec}, not by ${record.spec}`;
  if ((record.expect ?? "") === claim.expect) return undefined;
  return `${id} expects ${JSON.stringify(claim.expect)}, the record ${JSON.stringify(record.expect ?? "")}`;
}

/** Of a claim in the message that ended the session: the script had read it before. */
function cameWithTheEnd({ outcome, trust }: DialogueState, by: string, record: EvidenceRecord) {
  const claim = trust.claims.find(({ id }) => id === record.claim);
  const isAuthors = claim?.by === by && claim.id.startsWith(`C${outcome?.seq}.`);
  return isAuthors && claim.records.length === 0;
}

/** The claim of a position that nobody reads yet. */
function isSealedClaim(state: DialogueState, by: string, id: string): boolean {
  const { sealed, lastDraft } = sideOf(state, by);
  return sealed !== "" && id.startsWith(`C${lastDraft.seq}.`);
}
