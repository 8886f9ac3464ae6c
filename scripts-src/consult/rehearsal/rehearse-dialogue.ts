import { join } from "node:path";
import { isJsonObject, type JsonObject, parseStrictJson } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { namesIn, readFileIfPresent } from "../../files/atomic-file.ts";
import {
  assumption,
  citeLine,
  countFiles,
  measureAssumption,
  optionsIn,
  withoutQuotes,
} from "./project-survey.ts";
import {
  type Act,
  askNext,
  dryRunMark,
  type PrintedNext,
  type RehearsalTurn,
  rehearsalRemark,
  runOwnScript,
  whoAndWhere,
} from "./scripted-peer.ts";

/**
 * A scripted side of a dialogue. It has no memory and no plan: it fills in the draft of
 * `next-action`, which holds what the rules want of it.
 */
export async function rehearseDialogue(
  next: PrintedNext,
  turn: RehearsalTurn,
  isLastTry: boolean,
): Promise<Act | undefined> {
  const isUnconfirmed = next.standing.unconfirmedBy === turn.participant;
  if (!isUnconfirmed && next.guidance.turn !== "yours") return undefined;
  const scene = sceneOf(await afterChecks(next, turn), turn);
  const message = isUnconfirmed ? confirm(scene) : answer(scene, isLastTry);
  const words = [...whoAndWhere(turn), "--message=-"];
  const send = () => runOwnScript(turn, "append-event", words, JSON.stringify(message));
  return { name: String(message["type"]), send };
}

/** Runs the check of every claim that this side has not checked. */
async function afterChecks(next: PrintedNext, turn: RehearsalTurn): Promise<PrintedNext> {
  const { workspace, id } = turn.place;
  const claims = uncheckedIn(next);
  const where = workspace === undefined ? [] : [`--workspace=${workspace.root}`];
  for (const claim of claims) {
    const who = [`--session=${id}`, ...where, `--participant=${turn.participant}`];
    await runOwnScript(turn, "check", [...who, `--claim=${claim}`]);
  }
  return claims.length === 0 ? next : askNext(turn);
}

/** A claim is in the draft as soon as this side has a record of its check. */
function uncheckedIn({ guidance }: PrintedNext): string[] {
  const drafted = JSON.stringify(guidance.moves);
  return (guidance.toCheck ?? []).filter((claim) => !drafted.includes(`"claim":"${claim}"`));
}

/** What this side sees in its turn. */
type Scene = ReturnType<typeof sceneOf>;

function sceneOf(next: PrintedNext, turn: RehearsalTurn) {
  const { initiator, topic } = next.standing;
  const { first, second, words } = optionsIn(topic);
  const [favourite, alternative] =
    initiator === turn.participant ? [second, first] : [first, second];
  const input = next.guidance.moves[0]?.input;
  const draft: JsonObject = typeof input === "object" ? input : {};
  const known = Array.isArray(draft["checks"]) ? draft["checks"].filter(isJsonObject) : [];
  const reason = "a script of the dry run could not run it";
  const assumed = uncheckedIn(next).map((claim) => ({ claim, outcome: "not_run", reason }));
  // A peer that works by hand sends no positions.
  const theirs = messagesTo(turn).findLast(({ position }) => position !== undefined);
  // In quotes: rules about stance must not read the user's words as this side's.
  const question = `"${withoutQuotes(topic)}"`;
  const checks: JsonObject[] = [...known, ...assumed];
  const isUnanswered = next.letters.length > 0;
  return {
    turn,
    topic,
    question,
    favourite,
    alternative,
    words,
    draft,
    checks,
    isUnanswered,
    theirs,
  };
}

/** What the other side has said so far: `next-action` moves each message to the archive. */
function messagesTo({ place, participant }: RehearsalTurn): JsonObject[] {
  const folder = join(place.workspace?.root ?? "", "archive");
  const names = namesIn(folder).filter((name) => name.startsWith(`${place.id}-`));
  return names.sort().flatMap((name) => {
    const text = readFileIfPresent(join(folder, name), 2 * limits.messageBytes) ?? "{}";
    const message = parseStrictJson(text, name);
    const isTheirs = isJsonObject(message) && message["session_id"] === place.id;
    return isTheirs && message["from"] !== participant ? [message] : [];
  });
}

/** The last try says no more than the draft wants. */
function answer(scene: Scene, isLastTry: boolean): JsonObject {
  const { topic, draft, theirs, checks, isUnanswered } = scene;
  if (draft["type"] === "REQUEST") return message(scene, topic, {});
  if (draft["type"] === "CONSENSUS") return message(scene, solution(scene), {});
  if (draft["type"] === "TASK_RESULT")
    return message(
      scene,
      "I am a script and cannot work on tasks; please give it to an agent.",
      {},
    );
  if (draft["position"] === "...") return takePosition(scene);
  const isRefuted = checks.some(({ outcome }) => outcome === "fails");
  if (isRefuted || isLastTry) return evaluate(scene);
  if (draft["accepts"] !== undefined) return confirm(scene);
  const isByHand = theirs === undefined && isUnanswered;
  const isShared = theirs?.["position"] === draft["position"];
  const mayAgree = isByHand || isShared || theirs?.["synthesis"] !== undefined;
  return mayAgree ? agree(scene) : evaluate(scene);
}

/** The first position, with a claim that any script can check. */
function takePosition(scene: Scene): JsonObject {
  const { turn, question, favourite, words, theirs } = scene;
  const seen = countFiles(turn, words);
  const claims = citeLine(turn, [favourite, ...words]);
  const content =
    `On ${question} I lean to "${favourite}". What I counted: ${seen}. ` +
    `What I only assume so far: ${assumption}.`;
  return message(scene, content, {
    ...stance(scene).fields,
    confidence: 0.62,
    discoveries: { analysis: seen, conclusions: assumption },
    ...(claims.length === 0 ? {} : { claims }),
    ...(theirs === undefined ? {} : { acknowledged }),
  });
}

/** The turn of a side that has a position and does not agree. */
function evaluate(scene: Scene): JsonObject {
  const { draft, checks, turn, words } = scene;
  const { fields, measured = `Nothing new; I counted again: ${countFiles(turn, words)}.` } =
    stance(scene);
  const refuted = checks.filter(({ outcome }) => outcome === "fails");
  const names = refuted.map(({ claim }) => String(claim)).join(", ");
  const content = names === "" ? measured : `I looked again, and ${names} does not hold here.`;
  const type = draft["type"] === "RESPONSE" ? "RESPONSE" : "EVALUATE";
  return message(scene, content, { type, confidence: 0.7, acknowledged, ...fields });
}

const acknowledged = ["you looked at the project first"];

/** What this side holds now: two positions that differ are bridged, by what a measurement says. */
function stance(scene: Scene): { fields: JsonObject; measured?: string } {
  const { favourite, alternative, draft } = scene;
  const { position: own = "..." } = draft;
  if (draft["synthesis"] === undefined)
    return { fields: { position: own === "..." ? `Take "${favourite}" (dry run)` : own } };
  const { isRefuted, evidence } = measureAssumption();
  const [now, later] = isRefuted ? [alternative, favourite] : [favourite, alternative];
  const fields = {
    synthesis:
      `Take "${now}" now, in a form that is easy to revert, and keep "${later}" as the fallback: ` +
      "change when numbers from real use ask for it. (Said in a dry run.)",
  };
  const effect = isRefuted ? "refutes" : "confirms";
  const measured = `I measured what I had assumed: ${assumption}. ${evidence}. That ${effect} it.`;
  return { fields, measured };
}

/** The first AGREE carries the text for the user. */
function agree(scene: Scene): JsonObject {
  const { theirs, draft } = scene;
  const accepted =
    theirs === undefined ? { position: draft["position"] ?? "" } : acceptedBy(theirs);
  return message(scene, solution(scene), {
    type: "AGREE",
    ...accepted,
    ...sure,
    ...because,
  });
}

function acceptedBy({ seq }: JsonObject): JsonObject {
  return { accepts: Number(seq) };
}

/** A script has no doubts: its confidence says nothing. */
const sure = { confidence: 1 };

/** Agrees to the text for the user that the other side wrote. */
function confirm(scene: Scene): JsonObject {
  const { accepts } = scene.draft;
  const accepted = accepts === undefined ? {} : { accepts, ...because };
  const content = "That is the text that lay on the table.";
  return message(scene, content, { type: "AGREE", ...accepted, ...sure });
}

function solution({ question, theirs, alternative, checks }: Scene): string {
  const decision = String(theirs?.["synthesis"] ?? `Take "${alternative}" for now`);
  const seen = checks
    .filter(({ outcome }) => outcome === "holds")
    .map(({ claim, evidence }) => `Looked at again: claim ${claim} holds (${evidence}).`);
  const decided = [`Merged solution for ${question}`, "", `Decision: ${decision}`, ...seen];
  return [...decided, "", rehearsalRemark].join("\n");
}

/** What a change of position rests on: both scripts cite the same line, so no record is news to either. */
const because: JsonObject = { because: ["judgement: the synthesis keeps a fallback"] };

/** A message with all that the draft wants beside its own words. */
function message({ draft, checks }: Scene, content: string, fields: JsonObject): JsonObject {
  const questions = Array.isArray(draft["answers"]) ? draft["answers"].filter(isJsonObject) : [];
  const owed: JsonObject = {
    ...(questions.length === 0 ? {} : { answers: questions.map(answered) }),
    ...(draft["self_check"] === undefined
      ? {}
      : { self_check: "I am a script and defend nothing." }),
    ...(checks.length === 0 ? {} : { checks: [...checks] }),
  };
  const words = { question_or_proposal: { content: `${dryRunMark} ${content}` } };
  const meta = { model: "a script, no AI" };
  return { type: draft["type"] ?? "RESPONSE", ...words, meta, ...owed, ...fields };
}

function answered({ question = "" }: JsonObject): JsonObject {
  return { question, answer: "Numbers from real use that speak for it." };
}
