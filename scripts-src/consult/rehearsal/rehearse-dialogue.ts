import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { blank } from "../../dialogue/blanks.ts";
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
 * A scripted side of a dialogue. It has no memory and no plan: it fills in a form of `next-action`, which
 * holds what the rules want of it.
 */
export async function rehearseDialogue(
  next: PrintedNext,
  turn: RehearsalTurn,
  isLastTry: boolean,
): Promise<Act | undefined> {
  const isUnconfirmed = next.standing.unconfirmedBy === turn.participant;
  if (!isUnconfirmed && next.guidance.turn !== "yours") return undefined;
  const scene = sceneOf(await afterChecks(next, turn), turn);
  const message = answer(scene, isLastTry);
  const words = [...whoAndWhere(turn), "--message=-"];
  const send = () => runOwnScript(turn, "append-event", words, JSON.stringify(message));
  return { name: String(message["type"]), send };
}

/** Looks at every claim that this side has to look at first. */
async function afterChecks(next: PrintedNext, turn: RehearsalTurn): Promise<PrintedNext> {
  const { workspace, id } = turn.place;
  const { toCheck = [] } = next.guidance;
  const where = workspace === undefined ? [] : [`--workspace=${workspace.root}`];
  const who = [`--session=${id}`, ...where, `--participant=${turn.participant}`];
  for (const claim of toCheck) {
    const look = claim === "" ? ["--find=import", "."] : [`--claim=${claim}`];
    await runOwnScript(turn, "check", [...who, ...look]);
  }
  return toCheck.length === 0 ? next : askNext(turn);
}

/** What this side sees in its turn. */
type Scene = ReturnType<typeof sceneOf>;

function sceneOf(next: PrintedNext, turn: RehearsalTurn) {
  const { initiator, topic } = next.standing;
  const { first, second, words } = optionsIn(topic);
  const [favourite, alternative] =
    initiator === turn.participant ? [second, first] : [first, second];
  const forms = next.guidance.moves.flatMap(({ input }) =>
    typeof input === "object" ? [input] : [],
  );
  const theirs = messagesTo(turn).findLast(({ position }) => position !== undefined);
  // In quotes: rules about stance must not read the user's words as this side's.
  const question = `"${withoutQuotes(topic)}"`;
  return { turn, topic, question, favourite, alternative, words, forms, theirs };
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

/** The likeliest form, filled in; the last try says no more than is wanted. */
function answer(scene: Scene, isLastTry: boolean): JsonObject {
  const { topic, forms } = scene;
  const [form = {}] = forms;
  const own = forms.find(({ type }) => type !== "AGREE") ?? form;
  switch (form["type"]) {
    case "REQUEST":
      return message(form, topic, {});
    case "CONSENSUS":
      return message(form, solution(scene), {});
    case "TASK_RESULT":
      return message(form, "I am a script and cannot work on tasks; give it to an agent.", {});
    case "AGREE":
      return isLastTry ? evaluate(scene, own) : agree(scene, form);
    default:
      break;
  }
  if (form["position"] === blank.position) return takePosition(scene, form);
  // Who works by hand states no position to differ from.
  const byHand = forms.find(({ type, position }) => type === "AGREE" && position !== undefined);
  return byHand === undefined || isLastTry
    ? evaluate(scene, own)
    : agree(scene, { ...byHand, position: own["position"] ?? "" });
}

/** The first position, with a claim that any script can check. */
function takePosition(scene: Scene, form: JsonObject): JsonObject {
  const { turn, question, favourite, words, theirs } = scene;
  const seen = countFiles(turn, words);
  const claims = citeLine(turn, [favourite, ...words]);
  const content =
    `On ${question} I lean to "${favourite}". What I counted: ${seen}. ` +
    `What I only assume so far: ${assumption}.`;
  return message(form, content, {
    position: `Take "${favourite}" (dry run)`,
    confidence: 0.62,
    discoveries: { analysis: seen, conclusions: assumption },
    ...(claims.length === 0 ? {} : { claims }),
    ...(theirs === undefined ? {} : { acknowledged }),
  });
}

/** The turn of a side that does not agree: two positions that differ are bridged, by what a measurement says. */
function evaluate(scene: Scene, form: JsonObject): JsonObject {
  const { turn, words, favourite, alternative } = scene;
  const more = { confidence: 0.7, acknowledged };
  if (form["synthesis"] === undefined) {
    const refuted = entriesOf(form, "checks").filter(({ outcome }) => outcome === "fails");
    const names = refuted.map(({ claim }) => String(claim)).join(", ");
    const measured = `Nothing new; I counted again: ${countFiles(turn, words)}.`;
    const content = names === "" ? measured : `I looked again, and ${names} does not hold here.`;
    return message(form, content, more);
  }
  const { isRefuted, evidence } = measureAssumption();
  const [now, later] = isRefuted ? [alternative, favourite] : [favourite, alternative];
  const synthesis =
    `Take "${now}" now, in a form that is easy to revert, and keep "${later}" as the fallback: ` +
    "change when numbers from real use ask for it. (Said in a dry run.)";
  const effect = isRefuted ? "refutes" : "confirms";
  const measured = `I measured what I had assumed: ${assumption}. ${evidence}. That ${effect} it.`;
  return message(form, measured, { ...more, synthesis });
}

const acknowledged = ["you looked at the project first"];

/** The first AGREE carries the text for the user, the second agrees to that. A script has no doubts. */
function agree(scene: Scene, form: JsonObject): JsonObject {
  const { content } = isJsonObject(form["question_or_proposal"])
    ? form["question_or_proposal"]
    : {};
  const isFirst = content === blank.decision;
  const said = isFirst ? solution(scene) : "That is the text that lay on the table.";
  return message(form, said, { confidence: 1 });
}

function solution({ question, theirs, alternative }: Scene): string {
  const decision = String(theirs?.["synthesis"] ?? `Take "${alternative}" for now`);
  const decided = [`Merged solution for ${question}`, "", `Decision: ${decision}`];
  return [...decided, "", rehearsalRemark].join("\n");
}

/** A form with these words, and those of a script wherever it has a blank. */
function message(form: JsonObject, content: string, fields: JsonObject): JsonObject {
  const words = { question_or_proposal: { content: `${dryRunMark} ${content}` } };
  const meta = { model: "a script, no AI" };
  const filled = Object.entries(blankWords).flatMap(([name, said]) =>
    form[name] === undefined ? [] : [[name, said(entriesOf(form, name))]],
  );
  return { ...form, ...words, meta, ...Object.fromEntries(filled), ...fields };
}

const blankWords: Readonly<Record<string, (entries: JsonObject[]) => JsonValue>> = {
  answers: (entries) =>
    entries.map((it) => ({ ...it, answer: "Numbers from real use that speak for it." })),
  checks: (entries) => entries.map((it) => (it["evidence"] === undefined ? notRun(it) : it)),
  self_check: () => "I am a script and defend nothing.",
  // Both scripts cite the same line, so no record is news to either.
  because: () => ["judgement: the synthesis keeps a fallback"],
  objections: () => [
    {
      point: "the text as it is",
      because: "a script has found nothing for it",
      about: "judgement",
    },
  ],
};

function notRun({ claim = "" }: JsonObject): JsonObject {
  return { claim, outcome: "not_run", reason: "a script of the dry run could not run it" };
}

function entriesOf(form: JsonObject, name: string): JsonObject[] {
  const list = form[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
