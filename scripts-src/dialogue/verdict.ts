import { inline } from "../base/json.ts";
import { plural } from "../base/plural.ts";
import { figuresIn, lackingIn } from "../protocol/figures.ts";
import type { Payoff } from "../protocol/protocol.ts";
import { auditOf, decisionIn, faultsFound, ownersOf, remarksIn, standingOf } from "./audit.ts";
import { isSeen, isValid, lastMet, seenBy, validClaims } from "./claims.ts";
import { isSamePosition } from "./positions.ts";
import { type Claim, type DialogueState, goalOf, hasEnded } from "./state.ts";

type VerdictCode =
  | "seen"
  | "assumed"
  | "judgement"
  | "recommendation"
  | "undecided"
  | "escalated"
  | "open";

/** What a session came to, in the words that every place uses. */
type Verdict = {
  readonly code: VerdictCode;
  /** One line: the same in status, solution, report, earlier decisions and the brain. */
  readonly words: string;
  /** Valid claims, how many of them both sides have seen, and how many a decision may not rest on. */
  readonly claims: number;
  readonly seen: number;
  readonly assumed: number;
  /** Of those that both have seen, how many an auditor sees shown; undefined where none was audited or kept. */
  readonly shown: number | undefined;
  /** Why it is the user's to decide; "" where nobody says so. */
  readonly owner: string;
  /** The words with why, and with what became of it since. */
  readonly line: string;
  /** The counts, and what became of it since, apart. */
  readonly counted: string;
  readonly remarks: string[];
};

/** The only place that says what a decision is worth; `stale`: claims whose lines or files have changed since. */
export function verdictOf(state: DialogueState, stale: readonly string[] = []): Verdict {
  const valid = validClaims(state);
  const standings = valid.map((it) => standingOf(state, it));
  const bySeen = standings.filter(({ isSeen }) => isSeen);
  const count = (what: string) => bySeen.filter(({ audited }) => audited === what).length;
  const [claims, seen, unread] = [valid.length, bySeen.length, count("no")];
  const shown = seen > unread ? count("shown") : undefined;
  const assumed = standings.filter(({ status }) => status === "assumed").length;
  const counted = countsText(claims, seen, unread, shown, onlySaid(state).length);
  const [code, words] = wordsOf(state, valid, counted, assumed === 0);
  const owner = ownerText(state);
  const remarks = remarksOn(state, valid, stale);
  const line = [
    `${words}${endedText(state)}`,
    ...(state.outcome?.kind === "consensus" && owner !== "" ? [owner] : []),
    ...(code === "recommendation" && claims > 0 ? [counted] : []),
    ...remarks,
  ].join("; ");
  return { code, words, claims, seen, assumed, shown, owner, line, counted, remarks };
}

/** Where nothing was seen by both, there is nothing that an auditor could make more of. */
function countsText(
  claims: number,
  seen: number,
  unread: number,
  shown: number | undefined,
  said: number,
): string {
  const isAudited = shown !== undefined;
  return [
    `${seen} of ${claims} claims seen${shown === seen ? " and shown" : ""}`,
    ...(isAudited && shown !== seen ? [`${shown} shown`] : []),
    ...(seen === claims ? [] : [`${claims - seen} assumed`]),
    ...(said === 0 ? [] : [`${plural(said, "figure")} only said`]),
    ...(unread > 0 ? [isAudited ? `${unread} not audited` : "not audited"] : []),
  ].join(", ");
}

function wordsOf(
  state: DialogueState,
  valid: readonly Claim[],
  counted: string,
  isWhole: boolean,
): [code: VerdictCode, words: string] {
  const { outcome } = state;
  if (outcome === undefined) return ["open", "OPEN"];
  if (outcome.kind === "closed") return ["undecided", "NOT DECIDED"];
  if (outcome.kind === "escalated") return ["escalated", "ESCALATED"];
  if (ownersOf(state).length > 0) return ["recommendation", "RECOMMENDATION, yours to decide"];
  if (!valid.some((it) => seenBy(it).length > 0))
    return ["judgement", "CONSENSUS on judgement, nothing was checked"];
  return [isWhole ? "seen" : "assumed", `CONSENSUS, ${counted}`];
}

/** How it came to an end without a decision, or has not. */
function endedText({ outcome, phase, turn }: DialogueState): string {
  switch (outcome?.kind) {
    case undefined:
      return ` (${phase}, waiting for ${turn.join(" and ")})`;
    case "closed":
      return `, closed by ${outcome.by}: ${inline(outcome.reason, 1_000)}`;
    case "escalated":
      return `: ${outcome.reasons.map(({ code, text }) => `${code} (${inline(text, 1_000)})`).join("; ")}`;
    case "consensus":
      return "";
  }
}

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

const whys: Record<DialogueState["owner"][number]["kind"], string> = {
  spend: "spends money",
  licence: "is about a licence",
  destructive: "destroys something",
  publish: "publishes something",
  legal: "has consequences in law",
  taste: "is a matter of taste",
  "user's words": "holds a word of yours",
};

function ownerText(state: DialogueState): string {
  return ownersOf(state)
    .map(({ by, kind, words }) =>
      by === "user"
        ? `the question holds ${inline(words, 80)}, a word of yours`
        : `${by} says that it ${whys[kind]}`,
    )
    .join("; ");
}

const judgedWords = { kept: "kept", changed: "changed since", wrong: "found wrong" };

/** What an auditor said of the decision, and what became of it since. */
function remarksOn(
  state: DialogueState,
  valid: readonly Claim[],
  stale: readonly string[],
): string[] {
  const { decided, judged } = state.person;
  const isConsensus = state.outcome?.kind === "consensus";
  const gone = isConsensus ? valid.filter(({ id }) => stale.includes(id)) : [];
  const whats = gone.map((it) => (lastMet(state, it)?.kind === "run" ? "files" : "lines"));
  const { answer } = auditOf(state) ?? {};
  const named = answer === undefined ? 0 : remarksIn(answer);
  const isUnread = isConsensus && state.audit !== undefined && answer === undefined;
  return [
    ...(isUnread ? ["no auditor has read the text"] : []),
    ...(named === 0 ? [] : [`${plural(named, "remark")} of the auditor on the decision`]),
    ...(decided === undefined ? [] : ["decided by the user"]),
    ...(judged === undefined ? [] : [`${judgedWords[judged.says]}, says the user`]),
    ...[...new Set(whats)].map((it) => `rests on ${it} that have changed since`),
  ];
}

/** What a session that has ended says of whether the second side paid; nothing of others. */
export function payoff(state: DialogueState): Payoff | undefined {
  const { outcome, person, claims } = state;
  if (!hasEnded(state) || outcome === undefined || outcome.kind === "closed") return undefined;
  return {
    decided: outcome.kind === "consensus" || person.decided !== undefined,
    changedFirst: changedFirst(state),
    fell: claims.filter((it) => !isValid(it)).length,
    auditFound: state.audit && faultsFound(state.audit.answer),
    judged: person.judged?.says,
  };
}

/** Undefined where nobody answered blind, or where nothing says what was decided. */
function changedFirst({ outcome, firsts, participants }: DialogueState): boolean | undefined {
  const agreed = outcome?.kind === "consensus" ? outcome.agreed?.position : undefined;
  const blind = firsts.filter((it) => it.blind && it.position !== "");
  const [first] = participants.flatMap((name) => blind.find(({ by }) => by === name) ?? []);
  if (agreed === undefined || first === undefined) return undefined;
  return !isSamePosition(first.position, agreed);
}
