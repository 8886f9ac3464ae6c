import { plainPlace } from "../base/escape-untrusted-text.ts";
import type { JsonObject } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import { progressKey, recordsBrought } from "./claims.ts";
import { openPoints } from "./ending.ts";
import type { Assessment } from "./event.ts";
import { disputeOver } from "./facts.ts";
import type { CheckedDraft, Message } from "./message.ts";
import {
  statesAcceptance,
  statesAcknowledgement,
  statesAddition,
  statesDisagreement,
} from "./phrases.ts";
import { isSamePosition, positionOf, takesIn } from "./positions.ts";
import { hashOf, names, normalized } from "./prose.ts";
import { type DialogueState, otherThan, type SendAttempt, sideOf } from "./state.ts";

/** An attempt with what it does, and the progress that it claims and does not make. */
export interface Judgement extends SendAttempt {
  readonly assessment: Assessment;
  readonly progressFaults: string[];
}

/** What a message lacks, in words and as what gives it: forms are completed by it, rejections show it. */
export interface Lack {
  readonly reason: string;
  /** Fields, with blanks where their words are the sender's. */
  readonly add?: JsonObject;
  /** Claims that its sender has to look at before; "" for any look of its own. */
  readonly toCheck?: readonly string[];
}

/** A rule says what is wrong with an attempt and what to do, or nothing. */
export type Rule = (attempt: Judgement) => Lack | string | undefined | false;

/** What a message does. A letter by hand knows no positions: its words are all there is. */
export function judge(attempt: SendAttempt): Judgement {
  const { draft, foreign } = attempt;
  const objects = (foreign || draft.type !== "AGREE") && objectsIn(attempt);
  const asks = (draft.question_or_proposal.specific_questions ?? []).length > 0;
  const adds = draft.synthesis !== undefined || newAgreements(attempt).length > 0;
  const { accepts, competes, progress, brings } = foreign
    ? judgeWords(attempt, objects || adds)
    : judgePosition(attempt, objects);
  const onlyObjects = objects && !doesMore(attempt, progress) && !asks && !adds && !brings;
  const disputes = disputeOver(attempt);
  const assessment = { progress, objects, onlyObjects, accepts, ...defined({ disputes }) };
  return {
    ...attempt,
    assessment: competes ? { ...assessment, competes } : assessment,
    progressFaults: foreign ? [] : absentArtifacts(attempt),
  };
}

interface Judged {
  readonly progress: string[];
  readonly accepts: boolean;
  readonly competes: boolean;
  /** It has something of its sender's own to look at. */
  readonly brings: boolean;
}

/** By its position and its fields: no list of words judges what it says. */
function judgePosition(attempt: SendAttempt, objects: boolean): Judged {
  const { draft, state, sender } = attempt;
  const isAgree = draft.type === "AGREE";
  const other = sideOf(state, otherThan(state, sender)).held;
  const own = sideOf(state, sender);
  const position = positionOf(attempt);
  const isSame = isSamePosition(position, other.position);
  const hasTwo = position !== "" && other.seq > 0;
  // A participant that held it before accepts nothing.
  const accepts = isAgree || (hasTwo && isSame && !isSamePosition(position, own.held.position));
  const taken = accepts ? [`accepted:${other.seq}`] : [];
  const points = newAgreements(attempt).filter((point) => isSaidByOther(attempt, point));
  const accepted = [...taken, ...points.map((point) => `accepted:${hashOf(normalized(point))}`)];
  // What the script read for its claims is stored after it, and counts for its round.
  const met = recordsBrought(attempt).filter((it) => it.met);
  const records = met.map((it) => progressKey({ ...it, by: sender }));
  return {
    progress: freshKeys(state, [...accepted, ...artifactKeys(attempt), ...records]),
    accepts,
    // What adds to the other's answer, or goes on from it, competes with nothing (seed 003).
    competes: hasTwo && !isAgree && !isSame && (objects || !takesIn(position, other.position)),
    brings:
      (draft.claims ?? []).length > 0 ||
      state.evidence.some(({ by, seq }) => by === sender && seq > own.lastDraft.seq),
  };
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
function artifactKeys({ files }: SendAttempt): string[] {
  return [...files].flatMap(([path, { sha256 }]) =>
    sha256 === undefined ? [] : [`artifact:${hashOf(normalized(`${path} ${sha256}`))}`],
  );
}

/** Whether the other side has made a point. */
function isSaidByOther({ state, sender }: SendAttempt, point: string): boolean {
  return names(point, sideOf(state, otherThan(state, sender)).said);
}

function freshKeys(state: DialogueState, keys: readonly string[]): string[] {
  return [...new Set(keys)].filter((key) => !state.counted.includes(key));
}

function judgeWords(attempt: SendAttempt, doesOther: boolean): Judged {
  const { draft, state } = attempt;
  const progress = freshKeys(state, [...declaredKeys(attempt), ...artifactKeys(attempt)]);
  const accepts =
    draft.type === "AGREE" ||
    progress.some((key) => key.startsWith("accepted:")) ||
    statesAcceptance(draft.question_or_proposal.content);
  const competes = !doesOther && !accepts && competesIn(attempt);
  return { progress, accepts, competes, brings: false };
}

/** Whether it answers the task again and takes nothing of the other side's answer up (seed 003). */
function competesIn({ state, draft, sender }: SendAttempt): boolean {
  // Without turns both write at once, and about several things.
  if (state.phase !== "talking" || state.mode === "parallelo") return false;
  const takesUp = (draft.acknowledged ?? []).length + (draft.answers ?? []).length > 0;
  const { content } = draft.question_or_proposal;
  if (takesUp || statesAcknowledgement(content) || statesAddition(content)) return false;
  const { proposal } = sideOf(state, otherThan(state, sender));
  if (proposal === "" || !proposes(draft)) return false;
  // Neither holds the other. Only their authors know when two wordings mean the same: the second AGREEs then.
  const [one, other] = [normalized(content), normalized(proposal)];
  return !one.includes(other) && !other.includes(one);
}

function objectsIn(attempt: SendAttempt): boolean {
  const { draft, foreign } = attempt;
  if (draft.type === "COUNTER_PROPOSE") return true;
  if ((draft.objections ?? []).length > 0 || newDisagreements(attempt).length > 0) return true;
  if ((draft.checks ?? []).some((check) => check.outcome === "fails")) return true;
  if (!foreign || takesNoSide.has(draft.type)) return false;
  return statesDisagreement(draft.question_or_proposal.content);
}

/** Types whose words are no answer to the other side: questions, and the solution of both. */
const takesNoSide = new Set(["REQUEST", "CLARIFY", "ESCALATE", "CONSENSUS"]);

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

/**
 * Progress by seed 003 in a letter by hand: new information from a tool, a formal acceptance. A claim checked is
 * information from a tool.
 */
function declaredKeys(attempt: SendAttempt): string[] {
  const { draft } = attempt;
  const key = (kind: string, what: string) => `${kind}:${hashOf(normalized(what))}`;
  const declared = (draft.progress ?? []).flatMap(({ kind, tool, result, point = "" }) => {
    if (kind === "tool") return [key("tool", `${tool} ${result}`)];
    const counts = kind === "accepted" && isSaidByOther(attempt, point);
    return counts ? [key("accepted", point)] : [];
  });
  return [
    ...declared,
    ...(draft.checks ?? []).map(({ claim, evidence }) => key("tool", `${claim} ${evidence}`)),
    ...newAgreements(attempt).map((point) => key("accepted", point)),
  ];
}

/** Whether a message is an answer to the task itself: not a question, a judgement or a clarification. */
export function proposes({ type, question_or_proposal }: CheckedDraft | Message): boolean {
  return type === "RESPONSE" && (question_or_proposal.type ?? "proposal") === "proposal";
}
