import { inline } from "../base/json.ts";
import { idsShort, listFirst } from "./abbreviate-lists.ts";
import { obligationsOf } from "./obligations.ts";
import type { DialogueState, Obligation, ObligationCode } from "./state.ts";

interface Wording {
  /** The field of a message that meets it; of facts alone a look does as well. */
  readonly field: "answers" | "checks" | "objections" | "self_check" | "synthesis" | "type";
  /** What is rejected until it is met: every message, AGREE alone, or none. */
  readonly blocks: "message" | "agreement" | "nothing";
  /** To the side that has it, before what it is about. */
  readonly due: string;
  /** To anybody else, after the name of that side. */
  readonly open: string;
  /** How to meet it, where a message is rejected. */
  readonly way?: string;
}

export const waysToLook = "check --cite FILE:LINES, --find TEXT PATH or --run -- ARGV";

/** All that is said of an obligation, wherever it is said. */
export const wordings: Record<ObligationCode, Wording> = {
  answer: {
    field: "answers",
    blocks: "message",
    due: "unanswered:",
    open: "has not answered",
  },
  synthesis: {
    field: "synthesis",
    blocks: "message",
    due: "the positions differ: synthesis (one point of each side, equal to neither), or AGREE",
    open: "has offered no synthesis",
  },
  facts: {
    field: "synthesis",
    blocks: "message",
    due: "the positions differ: a look by a script, in checks, or AGREE:",
    open: "has neither offered a synthesis nor looked at",
  },
  offer: {
    field: "objections",
    blocks: "message",
    due: "answer the synthesis that is offered, by objections or by AGREE with accepts:",
    open: "has not answered the synthesis of message",
  },
  self_check: {
    field: "self_check",
    blocks: "message",
    due: 'three rounds of nothing but objections: "am I defending a position or looking for the truth?"',
    open: "has not checked itself",
  },
  task: {
    field: "type",
    blocks: "message",
    due: "report on task",
    open: "has not reported on task",
    way: "send type TASK_RESULT",
  },
  check: {
    field: "checks",
    blocks: "agreement",
    due: "check before AGREE:",
    open: "has not re-checked",
    way: "run check --claim ID, or say not_run with a reason",
  },
  look: {
    field: "checks",
    blocks: "agreement",
    due: "look at the disputed fact before AGREE:",
    open: "has not looked at the disputed fact",
    way: `run ${waysToLook}, or say not_run with a reason, or withdraw it`,
  },
  aside: {
    field: "answers",
    blocks: "nothing",
    due: "asked in running text, for answers:",
    open: "answered nothing to",
  },
};

/** What a side has to do, one line for each kind; `way` says how as well. */
export function dueLines(own: readonly Obligation[], withWay = false): string[] {
  return groupsOf(own).map(({ code, list }) => {
    const { due, way } = wordings[code];
    const items = listFirst(list, itemText, (rest) => `and ${restText(rest)}`);
    const line = [due, items.join(", ")].join(" ").trim();
    return withWay && way !== undefined ? `${line}; ${way}` : line;
  });
}

/** The same for anybody else: what keeps the sides from an agreement, one line for each. */
export function openLines(state: DialogueState): string[] {
  return state.participants.flatMap((by) => {
    const open = obligationsOf(state, by).filter(({ code }) => wordings[code].blocks !== "nothing");
    return groupsOf(open).flatMap(({ code, list }) =>
      listFirst(list, openLine, (rest) => `${by} ${wordings[code].open} ${restText(rest)}`),
    );
  });
}

export function openLine({ code, by, id, text }: Obligation): string {
  const what = text === "" ? id : `${id}: ${inline(text)}`;
  return `${by} ${wordings[code].open} ${what}`.trim();
}

function itemText({ id, text, check }: Obligation): string {
  const words = text === "" ? "" : inline(text);
  return [id, words, check ? `by ${inline(check)}` : ""].filter((it) => it !== "").join(" ");
}

/** Each id says which message it is from: C2.13 is claim 13 of message 2. */
function restText(rest: readonly Obligation[]): string {
  return `${rest.length} more: ${idsShort(rest)} (whole messages: .consulta/archive)`;
}

function groupsOf(list: readonly Obligation[]) {
  return [...new Set(list.map(({ code }) => code))].map((code) => ({
    code,
    list: list.filter((it) => it.code === code),
  }));
}
