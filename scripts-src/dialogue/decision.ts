import { pathIn } from "../protocol/evidence.ts";
import { figuresIn, lackingIn } from "../protocol/figures.ts";
import type { Files } from "../protocol/protocol.ts";
import { decisionIn } from "./audit.ts";
import { filesSeen, isSeen, isValid, lastMet, validClaims } from "./claims.ts";
import type { ChangedRun } from "./event.ts";
import { names } from "./prose.ts";
import { type Claim, type DialogueState, goalOf } from "./state.ts";

/** Numbers and names of the decision that neither the question nor a claim has that both sides have seen. */
export function onlySaid(state: DialogueState): string[] {
  const shown = validClaims(state).flatMap((claim) => {
    const seen = isSeen(claim) ? lastMet(state, claim) : undefined;
    const own = figuresIn(claim.text).filter(({ text }) => !seen?.lacks?.includes(text));
    return seen === undefined ? [] : [seen.shown, ...own.map(({ text }) => text)];
  });
  const { position = "", text = "" } = decisionIn(state) ?? {};
  const told = figuresIn(`${position}\n${text}`)
    .flatMap((it) => (it.kind === "quoted" ? figuresIn(it.text) : it))
    .filter(({ kind, text }) => kind !== "quoted" && !/^[01]$/.test(text));
  const lacks = lackingIn(told, [goalOf(state), state.topic, ...shown].join("\n"));
  return [...new Set(lacks.map(({ text }) => text))];
}

/** Whether a claim fell and its words are in the decision, and no claim that still counts says the same. */
export function isStillSaid(state: DialogueState, { text, ...claim }: Claim): boolean {
  const { position = "", text: decision = "" } = decisionIn(state) ?? {};
  if (isValid({ text, ...claim }) || !names(text, `${position}\n${decision}`)) return false;
  return !validClaims(state).some((it) => names(text, it.text));
}

/** Claims whose commands a side saw on uncommitted files that are others now, with their names; without a look all such. */
export function changedRuns(state: DialogueState, by: string, files?: Files): ChangedRun[] {
  const isNow = (it: string) => it.startsWith(`${files?.get(pathIn(it))?.sha256 ?? "gone"} `);
  return state.claims.filter(isValid).flatMap(({ id: claim, records }) => {
    const own = records.find((it) => it.by === by && it.met);
    const changed = filesSeen(state, own).filter((it) => !files || !isNow(it));
    return changed.length === 0 ? [] : [{ claim, files: changed.map(pathIn) }];
  });
}

/** The state in which a side saw these claims, and no others, on files that have changed since. */
export function withChangedRuns(state: DialogueState, by: string, runs?: readonly ChangedRun[]) {
  const claims = state.claims.map((it) => {
    const changed = runs?.find(({ claim }) => claim === it.id)?.files ?? [];
    return { ...it, records: it.records.map((its) => (its.by === by ? { ...its, changed } : its)) };
  });
  return { ...state, claims };
}
