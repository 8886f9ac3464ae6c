import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { isJsonObject, isStringArray, type JsonObject } from "../../scripts-src/base/json.ts";
import type { DishonestCase, HonestCase, Step } from "./case.ts";

/**
 * The cases of dialogues as data, a file for each subject: what is to be decided, a play with which several
 * begin, and what each does beside it. A step is a message, `claude AGREE a: its content` with its other fields;
 * a script of one participant, `claude check: [words]`; any script, `run: [name, words]`; or an act on files.
 */
export function readCases(subject: string): { dishonest: DishonestCase[]; honest: HonestCase[] } {
  const file = `${import.meta.dirname}/cases/${subject}.yaml`;
  const { plays = {}, cases = [], ...common } = parse(readFileSync(file, "utf8"));
  const found = { dishonest: [] as DishonestCase[], honest: [] as HonestCase[] };
  for (const { play, steps = [], change = [], fate, ...rest } of cases) {
    const begun = play === undefined ? [] : changed(plays[play], change);
    const told = { ...common, ...rest, steps: [...begun, ...steps].map(stepIn) };
    for (const name of ["mark", "verdict", "shows"])
      if (told[name] !== undefined) told[name] = pattern(told[name]);
    if (told.class === undefined) found.honest.push(told);
    else found.dishonest.push({ ...told, fate: fate === undefined ? anyFate : [fate].flat() });
  }
  return found;
}

/** Of a lazy session it is enough that it does not pass. */
const anyFate = ["rejected", "escalated", "demoted", "marked"];

/** A play with some of its steps as a case has them: those of the same side and name. */
function changed(begun: (Act | JsonObject)[], changes: JsonObject[]): (Act | JsonObject)[] {
  const nameOf = (step: object) => /^\S+ \S+ (\S+)$/.exec(Object.keys(step)[0] ?? "")?.[1];
  return begun.map((step) => {
    const name = nameOf(step);
    return changes.find((it) => name !== undefined && nameOf(it) === name) ?? step;
  });
}

/** `/words/i` as a regular expression. */
function pattern(text: string): RegExp {
  const [, source = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
  return new RegExp(source, flags);
}

const confidences: Record<string, number> = {
  RESPONSE: 0.7,
  EVALUATE: 0.7,
  COUNTER_PROPOSE: 0.7,
  AGREE: 0.9,
};

type Act = Exclude<Step, { act: "say" | "script" }>;

function isAct(written: Act | JsonObject): written is Act {
  return "act" in written;
}

function stepIn(written: Act | JsonObject): Step {
  if (isAct(written)) return written;
  const { rejects, codes, cli, ...told } = written;
  const more = {
    ...(typeof rejects === "string" ? { rejects: pattern(rejects) } : {}),
    ...(Array.isArray(codes) ? { codes: codes.map(Number) } : {}),
    // As a model runs a script: below a process of its CLI, the same for all steps of a case.
    ...(typeof cli === "string" ? { env: { [cli]: "1" } } : {}),
  };
  return { ...actIn(told), ...more };
}

function actIn(told: JsonObject): Step {
  const [[head = "", value] = [], ...others] = Object.entries(told);
  const fields: JsonObject = Object.fromEntries(others);
  const [by = "", what = "", name] = head.split(" ");
  if (typeof value === "string" || value === null) {
    const { raw } = fields;
    const message = isJsonObject(raw) ? raw : messageIn(what, value ?? "", fields);
    return { act: "say", by, message, ...(name ? { name } : {}) };
  }
  const words = isStringArray(value) ? value : [];
  const { input, name: noted } = fields;
  const [script = "", ...args] =
    head === "run" ? words : [what, "--session", "case", "--participant", by, ...words];
  return {
    ...{ act: "script", script, args },
    ...(typeof input === "string" ? { input } : {}),
    ...(typeof noted === "string" ? { name: noted } : {}),
  };
}

function messageIn(type: string, content: string, fields: JsonObject): JsonObject {
  const { asks, proposal, confidence = confidences[type], ...rest } = fields;
  const given = isJsonObject(proposal) ? proposal : {};
  return {
    type,
    question_or_proposal: {
      ...{ content, ...given },
      ...(asks === undefined ? {} : { specific_questions: asks }),
    },
    ...(confidence === undefined || confidence === "none" ? {} : { confidence }),
    ...rest,
  };
}
