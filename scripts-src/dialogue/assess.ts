import { plainPlace } from "../base/escape-untrusted-text.ts";
import { defined } from "../base/omit-undefined.ts";
import { competesWith } from "./competing-proposals.ts";
import { openPoints } from "./consensus.ts";
import { disputeOver, factsNamed } from "./disputed-facts.ts";
import type { Assessment } from "./event.ts";
import { progressKey } from "./evidence.ts";
import { recordsBrought } from "./evidence-needed.ts";
import type { CheckedDraft } from "./message.ts";
import { hashOf, names, normalized } from "./prose.ts";
import type { SendAttempt } from "./send-attempt.ts";
import { isSamePosition, positionOf, takesIn } from "./stance.ts";
import {
  statesAcceptance,
  statesAcknowledgement,
  statesAddition,
  statesDisagreement,
} from "./stance-phrases.ts";
import { type DialogueState, otherThan, sideOf } from "./state.ts";

/** An attempt with what it does, and the progress that it claims and does not make. */
export interface Judgement extends SendAttempt {
  readonly assessment: Assessment;
  readonly progressFaults: string[];
}

export function judge(attempt: SendAttempt): Judgement {
  // A letter by hand knows no positions: its words are all there is.
  const judged = attempt.foreign ? judgeWords(attempt) : judgePosition(attempt);
  const facts = factsNamed(attempt);
  const disputes = disputeOver(attempt);
  const disputed = { ...defined({ disputes }), ...(facts.length > 0 ? { facts } : {}) };
  return { ...judged, assessment: { ...judged.assessment, ...disputed } };
}

/** By its position and its fields: no list of words judges what it says. */
function judgePosition(attempt: SendAttempt): Judgement {
  const { draft, state, sender } = attempt;
  const isAgree = draft.type === "AGREE";
  const objects = !isAgree && objectsIn(attempt);
  const other = sideOf(state, otherThan(state, sender)).stance;
  const position = positionOf(attempt);
  const isSame = isSamePosition(position, other.position);
  const hasTwo = position !== "" && other.seq > 0;
  const own = sideOf(state, sender);
  // A participant that held it before accepts nothing.
  const adopts = hasTwo && isSame && !isSamePosition(position, own.stance.position);
  const accepts = isAgree || adopts;
  const taken = accepts ? [`accepted:${other.seq}`] : [];
  const progress = freshKeys(state, [...taken, ...acceptedPoints(attempt)]);
  const counted = [...progress, ...artifactsIn(attempt), ...freshKeys(state, recordKeys(attempt))];
  const asks = (draft.question_or_proposal.specific_questions ?? []).length > 0;
  const adds =
    newAgreements(attempt).length > 0 ||
    draft.synthesis !== undefined ||
    (draft.claims ?? []).length > 0 ||
    state.trust.evidence.some(({ by, seq }) => by === sender && seq > own.lastDraft.seq);
  const onlyObjects = objects && !doesMore(attempt, counted) && !asks && !adds;
  const judged = { progress: counted, objects, onlyObjects, accepts };
  // What adds to the other's answer, or goes on from it, competes with nothing (seed 003).
  const competes = hasTwo && !isAgree && !isSame && (objects || !takesIn(position, other.position));
  const assessment = competes ? { ...judged, competes } : judged;
  return { ...attempt, assessment, progressFaults: absentArtifacts(attempt) };
}

/** Who changed a file is not seen: that shows what a message does only where it names one. */
function doesMore({ draft }: SendAttempt, counted: readonly string[]): boolean {
  const namesOne = (draft.progress ?? []).some(({ kind }) => kind === "artifact");
  return counted.some((key) => namesOne || !key.startsWith("artifact:"));
}

/** Nothing is owed to `progress[]`, but a file that it names is there. */
function absentArtifacts({ draft, files }: SendAttempt): string[] {
  return (draft.progress ?? []).flatMap(({ kind, path = "" }, index) =>
    kind === "artifact" && !files.has(path)
      ? [
          `progress[${index}] names ${plainPlace(path)}, which is not a file of this project; drop the entry`,
        ]
      : [],
  );
}

/** Files that changed since they last counted, declared or not: a script has looked. */
function artifactsIn({ state, files }: SendAttempt): string[] {
  const keys = [...files].flatMap(([path, { sha256 }]) =>
    sha256 === undefined ? [] : [`artifact:${hashOf(normalized(`${path} ${sha256}`))}`],
  );
  return freshKeys(state, [...new Set(keys)]);
}

/** What the script read for the claims of this message: its records are stored after it, and count for its round. */
function recordKeys(attempt: SendAttempt): string[] {
  const met = recordsBrought(attempt).filter((it) => it.met);
  return met.map((it) => progressKey({ ...it, by: attempt.sender }));
}

/** Points that this message is the first to call agreed, and that the other side has made. */
function acceptedPoints(attempt: SendAttempt): string[] {
  const { state, sender } = attempt;
  const { said } = sideOf(state, otherThan(state, sender));
  const points = newAgreements(attempt).filter((point) => names(point, said));
  return points.map((point) => `accepted:${hashOf(normalized(point))}`);
}

function freshKeys(state: DialogueState, keys: readonly string[]): string[] {
  return keys.filter((key) => !state.counted.includes(key));
}

function judgeWords(attempt: SendAttempt): Judgement {
  const { draft } = attempt;
  const counted = countProgress(attempt);
  const objects = objectsIn(attempt);
  const asks = (draft.question_or_proposal.specific_questions ?? []).length > 0;
  const adds = newAgreements(attempt).length > 0 || draft.synthesis !== undefined;
  const accepts =
    draft.type === "AGREE" ||
    counted.some((key) => key.startsWith("accepted:")) ||
    acceptsInWords(draft);
  const onlyObjects = objects && !doesMore(attempt, counted) && !asks && !adds;
  const competes = !objects && !accepts && !adds && competesIn(attempt);
  const judged = { progress: counted, objects, onlyObjects, accepts };
  const assessment = competes ? { ...judged, competes } : judged;
  return { ...attempt, assessment, progressFaults: [] };
}

/** Whether it answers the task again and takes nothing of the other side's answer up (seed 003). */
function competesIn({ state, draft, sender }: SendAttempt): boolean {
  // Without turns both write at once, and about several things.
  if (state.phase !== "talking" || state.mode === "parallelo") return false;
  const takesUp = (draft.acknowledged ?? []).length + (draft.answers ?? []).length > 0;
  const { content } = draft.question_or_proposal;
  if (takesUp || statesAcknowledgement(content) || statesAddition(content)) return false;
  return competesWith(draft, sideOf(state, otherThan(state, sender)).proposal);
}

function objectsIn(attempt: SendAttempt): boolean {
  const { draft, foreign } = attempt;
  if (draft.type === "COUNTER_PROPOSE") return true;
  if ((draft.objections ?? []).length > 0 || newDisagreements(attempt).length > 0) return true;
  if ((draft.checks ?? []).some((check) => check.outcome === "fails")) return true;
  if (!foreign || saysNoStance.has(draft.type)) return false;
  return statesDisagreement(draft.question_or_proposal.content);
}

/** Types whose words are no answer to the other side: questions, and the solution of both. */
const saysNoStance = new Set(["REQUEST", "CLARIFY", "ESCALATE", "CONSENSUS"]);

export function newAgreements({ state, draft }: SendAttempt): string[] {
  const known = new Set(state.agreements.map(normalized));
  return (draft.agreements_so_far ?? []).filter((point) => !known.has(normalized(point)));
}

export function newDisagreements({ state, draft, foreign }: SendAttempt): string[] {
  // A letter by hand carries on the list of ours, which has the points of objections as well.
  const points = foreign ? openPoints(state) : state.disagreements.map(({ point }) => point);
  const known = new Set(points.map(normalized));
  return (draft.disagreements_pending ?? []).filter((point) => !known.has(normalized(point)));
}

function acceptsInWords(draft: CheckedDraft): boolean {
  return statesAcceptance(draft.question_or_proposal.content);
}

/**
 * Progress by seed 003: an artifact created or changed, new information from a tool, a formal
 * acceptance. Each counts once; a claim checked is information from a tool.
 */
function countProgress(attempt: SendAttempt): string[] {
  const { draft, state, sender } = attempt;
  const { said } = sideOf(state, otherThan(state, sender));
  const key = (kind: string, what: string) => `${kind}:${hashOf(normalized(what))}`;
  const declared = (draft.progress ?? []).flatMap(({ kind, tool, result, point = "" }) => {
    if (kind === "tool") return [key("tool", `${tool} ${result}`)];
    return kind === "accepted" && names(point, said) ? [key("accepted", point)] : [];
  });
  const keys = [
    ...declared,
    ...(draft.checks ?? []).map(({ claim, evidence }) => key("tool", `${claim} ${evidence}`)),
    ...newAgreements(attempt).map((point) => key("accepted", point)),
  ];
  return [...freshKeys(state, [...new Set(keys)]), ...artifactsIn(attempt)];
}
