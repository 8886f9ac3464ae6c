import { isRecord, type JsonObject } from "../../base/json.ts";
import { shortLine } from "../../clis/short-line.ts";
import { citeProject } from "./cite.ts";
import { because, debts } from "./debts.ts";
import type { Scene } from "./scene.ts";
import { surveyMethod, surveyProject, surveyText } from "./survey.ts";

/** Begins every message: nobody shall take a rehearsal for a judgement. */
const mark = "[rehearsal: scripted colleague, no AI]";
const meta = { model: "rehearsal script, no AI" };

/** A message of this scene; what it owes beside its words is filled in from the draft. */
function message(type: string, content: string, fields: JsonObject): JsonObject {
  return { type, question_or_proposal: { content: `${mark} ${content}` }, meta, ...fields };
}

/** The user's words, quoted: the protocol's rules about stance must not read them as ours. */
function quoted(text: string): string {
  return `"${shortLine(text.replace(/["\u00ab\u00bb\u201c\u201d`]/g, ""), 160)}"`;
}

export function ask(scene: Scene): JsonObject {
  return message("REQUEST", scene.question, {});
}

/** The first position, with a claim that any script can check again. */
export function takePosition(scene: Scene): JsonObject {
  const { terms } = scene.options;
  const survey = surveyProject(scene.project, terms);
  const seen = surveyText(survey);
  const content =
    `On ${quoted(scene.question)} I lean to ${quoted(scene.favourite)}. What I looked at: ${seen}. ` +
    `What I only assume so far: ${scene.probe.claim}.`;
  const claims = citeProject(scene.project, [scene.favourite, ...terms]);
  return message(String(scene.draft["type"] ?? "RESPONSE"), content, {
    position: `Take ${quoted(scene.favourite)} (rehearsed)`,
    confidence: 0.62,
    discoveries: { analysis: `${surveyMethod}: ${seen}`, conclusions: scene.probe.claim },
    references: [...survey.examples],
    ...(claims.length === 0 ? {} : { claims: claims.map((it) => ({ ...it })) }),
    ...(scene.theirs === undefined ? {} : { acknowledged: ["you named what anybody can look at"] }),
    ...debts(scene),
    ...(scene.draft["synthesis"] === undefined ? {} : bridging(scene).fields),
  });
}

/** Two positions stand: the assumption behind one's own is measured, and decides which goes first. */
function bridging(scene: Scene) {
  const { outcome, evidence } = scene.probe.run(scene.project, scene.options.terms);
  const isRefuted = outcome === "refuted";
  const [now, later] = isRefuted
    ? [scene.alternative, scene.favourite]
    : [scene.favourite, scene.alternative];
  const synthesis =
    `Take ${quoted(now)} now, in a form that is easy to take back, and keep ${quoted(later)} as the ` +
    // It is learned as a memory of its own, apart from the marked message.
    "way out: change when numbers from real use ask for it. (Said in a rehearsal.)";
  const content =
    `I measured what I had assumed: ${scene.probe.claim}. ${evidence}. That ` +
    `${isRefuted ? "refutes" : "confirms"} it, so the reason for ${quoted(later)} falls away.`;
  const position = `Take ${quoted(now)} now and keep ${quoted(later)} as the way out (rehearsed)`;
  return { content, fields: { position, synthesis } };
}

export function bridge(scene: Scene): JsonObject {
  const { content, fields } = bridging(scene);
  const made = message("EVALUATE", content, {
    ...fields,
    confidence: 0.8,
    acknowledged: ["you looked at the project first"],
    ...debts(scene),
    ...because(scene, content),
  });
  const ask = { specific_questions: ["What would make us change this decision later?"] };
  return { ...made, question_or_proposal: { ...asRecord(made), ...ask } };
}

/** The first AGREE carries the text for the user. */
export function agree(scene: Scene): JsonObject {
  const { theirs, isByHand } = scene;
  const decision = theirs?.synthesis ?? `Take ${quoted(scene.options.second)} for now`;
  const seen = scene.checks
    .filter(({ outcome }) => outcome === "holds")
    .map(({ claim, evidence }) => `Looked at again: claim ${claim} holds (${evidence}).`);
  const lines = [
    `Merged solution for ${quoted(scene.question)}`,
    "",
    `Decision: ${decision}`,
    ...seen,
    "",
    "This was a rehearsal: both participants are scripts that follow the protocol. What was measured is",
    "real and from this machine; the judgement is not. For a decision, run consult with real agents.",
  ];
  const accepts = isByHand || theirs === undefined ? {} : { accepts: theirs.seq };
  return message("AGREE", lines.join("\n"), {
    ...accepts,
    confidence: Math.max(0.9, scene.threshold),
    ...debts(scene),
    ...because(scene, "the synthesis keeps a way out"),
  });
}

/** The second AGREE: both scripts wrote the text from the same messages. */
export function confirm(scene: Scene): JsonObject {
  const content = "That is the synthesis that lay on the table.";
  return message("AGREE", content, {
    accepts: scene.draft["accepts"] ?? 0,
    confidence: Math.max(0.9, scene.threshold),
    ...debts(scene),
    ...because(scene, "the synthesis keeps a way out"),
  });
}

/** The text that closes with a peer that works by hand. */
export function conclude(scene: Scene): JsonObject {
  const decision = scene.theirs?.synthesis ?? `${quoted(scene.options.second)} for now`;
  const content = `Merged solution for ${quoted(scene.question)}\n\nDecision: ${decision}\n\nThis was a rehearsal.`;
  return message("CONSENSUS", content, {});
}

/** A claim of the peer does not hold: that comes before everything else. */
export function object(scene: Scene): JsonObject {
  const failed = scene.checks.filter(({ outcome }) => outcome === "fails");
  const names = failed.map(({ claim }) => claim).join(", ");
  return message("EVALUATE", `I looked again, and ${names} does not hold here.`, {
    position: scene.mine?.position ?? `Take ${quoted(scene.favourite)} (rehearsed)`,
    confidence: 0.6,
    acknowledged: ["you named what anybody can look at"],
    ...debts(scene),
    ...(scene.draft["synthesis"] === undefined
      ? {}
      : { ...bridging(scene).fields, ...because(scene, "a claim fell") }),
  });
}

/** Has the turn and nothing to answer: says so, and gives what is owed. */
export function remark(scene: Scene): JsonObject {
  const start = performance.now();
  const seen = surveyText(surveyProject(scene.project, scene.options.terms));
  const took = (performance.now() - start).toFixed(2);
  const content = `Nothing new from ${scene.other} yet; meanwhile I looked again: ${seen} (in ${took} ms).`;
  return message("EVALUATE", content, {
    position: scene.mine?.position ?? `Take ${quoted(scene.favourite)} (rehearsed)`,
    confidence: 0.6,
    ...debts(scene),
    ...(scene.draft["synthesis"] === undefined
      ? {}
      : { ...bridging(scene).fields, ...because(scene, "both ways stay open") }),
  });
}

export function reportTask(scene: Scene): JsonObject {
  const content = "I am a script and cannot work on tasks; please give it to somebody who can.";
  return message("TASK_RESULT", content, debts(scene));
}

function asRecord(made: JsonObject): JsonObject {
  const proposal = made["question_or_proposal"];
  return isRecord(proposal) ? { ...proposal } : {};
}
