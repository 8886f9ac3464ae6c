import { isRecord, type JsonObject } from "../../core/json.ts";
import { shortLine } from "../short-line.ts";
import { debts } from "./debts.ts";
import type { ProbeResult } from "./probe.ts";
import type { Scene } from "./scene.ts";
import { surveyMethod, surveyProject, surveyText } from "./survey.ts";
import {
  acceptance,
  agreed,
  evidenceIn,
  pendingIn,
  synthesisIn,
  toolFor,
} from "./what-was-said.ts";

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

/** The first position: an assumption that nobody has checked, and a claim that anybody can. */
export function takePosition(scene: Scene): JsonObject {
  const survey = surveyProject(scene.project, scene.options.terms);
  const seen = surveyText(survey);
  const content =
    `On ${quoted(scene.question)} I lean to ${quoted(scene.favourite)}. What I looked at: ${seen}. ` +
    `What I only assume so far: ${scene.probe.claim}. My position rests on that.`;
  return message("RESPONSE", content, {
    confidence: 0.62,
    discoveries: { analysis: `${surveyMethod}: ${seen}`, conclusions: scene.probe.claim },
    references: [...survey.examples],
    claims: [{ text: seen, check: surveyMethod }],
    hypotheses: [{ claim: scene.probe.claim, tool: scene.probe.tool, outcome: "open" }],
  });
}

/** Objects to an assumption that carries the colleague's position and that nobody has checked. */
export function doubt(scene: Scene, claim: string): JsonObject {
  const content =
    `Your look at the project is a good beginning. But your position rests on this: ${claim}. ` +
    `Nobody has measured it, and ${quoted(scene.favourite)} stays as good a candidate until somebody does.`;
  const fields = {
    confidence: 0.55,
    acknowledged: ["you looked at the project first, and said openly what you only assume"],
    objections: [
      {
        point: claim,
        because: "nobody has measured it here, and the decision turns on it",
        about: "fact",
      },
    ],
    disagreements_pending: [...pendingIn(scene), claim],
    agreements_so_far: agreed(scene, "a check decides about a fact, not an opinion"),
    ...debts(scene),
  };
  const made = message("EVALUATE", content, fields);
  const ask = { specific_questions: ["What would make us change this decision later?"] };
  return { ...made, question_or_proposal: { ...asRecord(made), ...ask } };
}

/** Checks the disputed fact for real and goes where the outcome points. */
export function bridge(scene: Scene, claim: string, result: ProbeResult): JsonObject {
  const refuted = result.outcome === "refuted";
  // Each side's own assumption speaks for its own favourite.
  const losesMine = refuted === (claim === scene.probe.claim);
  const [now, later] = losesMine
    ? [scene.alternative, scene.favourite]
    : [scene.favourite, scene.alternative];
  const synthesis =
    `Take ${quoted(now)} now, in a form that is easy to take back, and keep ${quoted(later)} as the ` +
    // It is learned as a memory of its own, apart from the marked message.
    "way out: change when numbers from real use ask for it. (Said in a rehearsal.)";
  const content =
    `I checked this: ${claim}. ${result.evidence}. That ${refuted ? "refutes" : "confirms"} it, ` +
    `so the reason for ${quoted(later)} falls away.`;
  const because = `checked: ${result.evidence}`;
  return message("EVALUATE", content, {
    confidence: 0.8,
    ...debts(scene),
    hypotheses: [{ claim, tool: toolFor(scene, claim), ...result }],
    synthesis,
    resolved: pendingIn(scene).map((point) => ({ point, because })),
    agreements_so_far: agreed(scene, `decided by measurement: ${result.evidence}`, synthesis),
    progress: acceptance(scene),
  });
}

/** A hypothesis with the outcome of its check. */
export interface Checked extends ProbeResult {
  readonly claim: string;
  readonly tool: string;
}

export function agree(scene: Scene, own: Checked | undefined): JsonObject {
  const synthesis = synthesisIn(scene);
  const evidence = evidenceIn(scene);
  const content =
    `I agree${synthesis === undefined ? "" : `: ${synthesis}`} ` +
    `${evidence === undefined ? "Nothing is left that I could check." : `What convinced me: ${evidence}.`}`;
  const because =
    evidence === undefined ? "nothing speaks for it any more" : `measured: ${evidence}`;
  const pending = pendingIn(scene);
  const mine = scene.said
    .filter(({ from }) => from === scene.me)
    .flatMap((it) => it.objections ?? []);
  const points = pending.length > 0 ? pending : [...new Set(mine.map(({ point = "" }) => point))];
  return message("AGREE", content, {
    confidence: Math.max(0.9, scene.threshold),
    ...debts(scene),
    ...(own === undefined ? {} : { hypotheses: [{ ...own }] }),
    ...(points.length > 0 ? { resolved: points.map((point) => ({ point, because })) } : {}),
  });
}

export function conclude(scene: Scene): JsonObject {
  const answers = scene.said.flatMap((it) => it.answers ?? []).map(({ answer = "" }) => answer);
  const checks = scene.said.flatMap((it) => it.checks ?? []);
  const lines = [
    `Merged solution for ${quoted(scene.question)}`,
    "",
    `Decision: ${synthesisIn(scene) ?? `${quoted(scene.options.second)} for now`}`,
    `Because: ${evidenceIn(scene) ?? "nobody had a reason against it"}.`,
    ...checks
      .slice(-2)
      .map((it) => `Checked again: claim ${it.claim} ${it.outcome} (${it.evidence ?? ""}).`),
    ...answers.slice(-1).map((answer) => `What would change it: ${answer}`),
    "",
    "This was a rehearsal: both colleagues are scripts that follow the protocol. What was measured is",
    "real and from this machine; the judgement is not. For a decision, run consult with real agents.",
  ];
  return message("CONSENSUS", lines.join("\n"), {});
}

/** Both scripts wrote the text from the same messages. */
export function confirm(): JsonObject {
  const content = "That is the synthesis that lay on the table, with what was measured.";
  return message("AGREE", content, { confidence: 0.95 });
}

/** Has the turn and nothing to answer: says so, and pays what is owed. */
export function remark(scene: Scene): JsonObject {
  const start = performance.now();
  const seen = surveyText(surveyProject(scene.project, scene.options.terms));
  const took = (performance.now() - start).toFixed(2);
  const content = `Nothing new from ${scene.other} yet; meanwhile I looked again: ${seen} (in ${took} ms).`;
  return message("EVALUATE", content, { confidence: 0.6, ...debts(scene) });
}

export function reportTask(scene: Scene): JsonObject {
  const content = "I am a script and cannot work on tasks; please give it to somebody who can.";
  return message("TASK_RESULT", content, debts(scene));
}

/** Stops where a script must not pretend: only a person or a real agent can check that. */
export function giveUp(what: string): JsonObject {
  const content = `A script cannot check this: ${what}. Please decide, or let a real agent go on.`;
  return message("ESCALATE", content, { needs_user: shortLine(content, 1_000) });
}

function asRecord(made: JsonObject): JsonObject {
  const proposal = made["question_or_proposal"];
  return isRecord(proposal) ? { ...proposal } : {};
}
