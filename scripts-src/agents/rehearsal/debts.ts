import { isRecord, type JsonObject } from "../../core/json.ts";
import type { Scene } from "./scene.ts";
import { isSurvey, surveyProject, surveyText } from "./survey.ts";

/** Answers, re-checked claims and the self-check, where the draft asks for them. */
export function debts(scene: Scene): JsonObject {
  const { draft } = scene;
  const owed: JsonObject = {};
  if (Array.isArray(draft["answers"])) {
    owed["answers"] = draft["answers"].flatMap((entry) =>
      isRecord(entry) && entry["question"] !== undefined
        ? [{ question: entry["question"], answer: "Numbers from real use that speak against it." }]
        : [],
    );
  }
  if (draft["self_check"] !== undefined)
    owed["self_check"] = "I am a script: I follow the protocol and defend nothing.";
  const checks = [...scene.claims].flatMap(([claim, text]) => recheck(scene, claim, text));
  if (checks.length > 0) owed["checks"] = checks;
  return owed;
}

/** Counts again what the colleague counted. Other people's claims are beyond a script. */
function recheck(scene: Scene, claim: string, text: string) {
  if (!isSurvey(text)) return [];
  const seen = surveyText(surveyProject(scene.project, scene.options.terms));
  return [
    { claim, outcome: seen === text ? "holds" : "fails", evidence: `I counted again: ${seen}` },
  ];
}
