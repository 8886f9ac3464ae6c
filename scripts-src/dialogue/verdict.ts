import { inline } from "../base/json.ts";
import { plural } from "../base/plural.ts";
import type { Payoff } from "../protocol/protocol.ts";
import {
  auditOf,
  faultsFound,
  ownersOf,
  remarksIn,
  type Standing,
  standingOfClaim,
} from "./audit.ts";
import { isValid, lastMet, seenBy, validClaims } from "./claims.ts";
import { onlySaid } from "./decision.ts";
import { isSamePosition } from "./positions.ts";
import { type Claim, type DialogueState, hasEnded } from "./state.ts";

type VerdictCode =
  | "seen"
  | "assumed"
  | "judgement"
  | "recommendation"
  | "undecided"
  | "escalated"
  | "open";

/** What a session came to, in the words that every place uses. */
interface Verdict {
  readonly code: VerdictCode;
  /** One line: the same in status, solution, report, earlier decisions and the brain. */
  readonly words: string;
  /** Valid claims, how many of them both sides have seen, and the rest. */
  readonly claims: number;
  readonly seen: number;
  readonly assumed: number;
  /** Of those that both have seen, how many an auditor sees shown; undefined where none was audited or kept. */
  readonly shown: number | undefined;
  /** The same in words. */
  readonly counted: string;
  /** Why it is the user's to decide; "" where nobody says so. */
  readonly owner: string;
  /** What became of it since. */
  readonly remarks: readonly string[];
  /** The words with the remarks. */
  readonly line: string;
}

/** The only place that says what a decision is worth; `stale`: claims whose lines or files have changed since. */
export function verdictOf(state: DialogueState, stale: readonly string[] = []): Verdict {
  const valid = validClaims(state);
  const claims = valid.length;
  const standings = valid.map((it) => standingOfClaim(state, it));
  const count = (standing: Standing) => standings.filter((it) => it === standing).length;
  const [seen, unread] = [claims - count("assumed"), count("seen, not audited")];
  const shown = seen > unread ? count("seen and shown") : undefined;
  const assumed = claims - unread - (shown ?? 0);
  const counted = countsText(claims, seen, unread, shown, onlySaid(state).length);
  const [code, words] = wordsOf(state, valid, counted, assumed === 0);
  const audit = auditOf(state);
  const named = audit === undefined ? 0 : remarksIn(audit.answer);
  const isUnread = state.outcome?.kind === "consensus" && state.audit !== undefined && !audit;
  const remarks = [
    ...(isUnread ? ["no auditor has read the text"] : []),
    ...(named === 0 ? [] : [`${plural(named, "remark")} of the auditor on the decision`]),
    ...remarksOn(state, valid, stale),
  ];
  const line = [words, ...remarks].join("; ");
  return {
    code,
    words,
    claims,
    seen,
    ...{ assumed, shown, counted },
    owner: ownerText(state),
    remarks,
    line,
  };
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

function remarksOn(
  state: DialogueState,
  valid: readonly Claim[],
  stale: readonly string[],
): string[] {
  const { decided, judged } = state.person;
  const gone =
    state.outcome?.kind === "consensus" ? valid.filter(({ id }) => stale.includes(id)) : [];
  const whats = gone.map((it) => (lastMet(state, it)?.kind === "run" ? "files" : "lines"));
  return [
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
