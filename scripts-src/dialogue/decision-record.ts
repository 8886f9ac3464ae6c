import type { DecisionRecord } from "../protocol/protocol.ts";
import { isSeen, seenBy, standingClaims } from "./evidence-state.ts";
import { isSamePosition } from "./stance.ts";
import type { DialogueState } from "./state.ts";
import { verdictOf } from "./verdict.ts";

/** What was decided, or is proposed, as a record for those who come later. */
export function decisionRecord(state: DialogueState): DecisionRecord | undefined {
  const { outcome, person, participants, trust, goal, topic, actedAt } = state;
  if (outcome === undefined || outcome.kind === "closed") return undefined;
  const { code, words, remarks } = verdictOf(state);
  const agreed = outcome.kind === "consensus" ? (outcome.agreed?.position ?? outcome.decision) : "";
  const isOwn = person.decided !== undefined;
  return {
    status: statusOf(state, code === "recommendation" || code === "escalated"),
    date: (person.decided?.at ?? actedAt).slice(0, 10),
    decisionMakers: isOwn ? ["user"] : agreed === "" ? [] : participants,
    consulted: isOwn || agreed === "" ? participants : [],
    question: goal || topic,
    options: [
      ...optionsOf(state),
      ...(person.decided === undefined ? [] : [{ by: "user", text: person.decided.text }]),
    ],
    chosen: person.decided?.text ?? agreed,
    because: standingClaims(trust).map((claim) => {
      const who = seenBy(claim);
      const seen = isSeen(claim)
        ? "seen by both"
        : who.length > 0
          ? `seen by ${who.join(" and ")} only`
          : "assumed";
      return `${claim.id} of ${claim.by}, ${seen}: ${claim.text}`;
    }),
    consequences: trust.reservations.map(({ by, text }) => `Bad, says ${by}: ${text}`),
    confirmation: standingClaims(trust)
      .filter((it) => seenBy(it).length > 0 && it.spec !== "")
      .map(({ spec, expect, id }) => ({ spec, expect, claim: id })),
    commit: trust.commit,
    verdict: [words, ...remarks].join("; "),
  };
}

function statusOf({ person }: DialogueState, isLeft: boolean): DecisionRecord["status"] {
  if (person.judged?.says === "changed") return "superseded";
  if (person.judged?.says === "wrong") return "rejected";
  return isLeft && person.decided === undefined ? "proposed" : "accepted";
}

/** Every position that somebody took, each once, in the order in which they came. */
function optionsOf({ trust, outcome }: DialogueState): DecisionRecord["options"] {
  const taken = trust.positions.map(({ by, position }) => ({ by, text: position }));
  const stated =
    outcome?.kind === "escalated" && taken.length === 0
      ? outcome.positions.map(({ participant, position }) => ({ by: participant, text: position }))
      : taken;
  return stated.filter(
    ({ text }, at) => text !== "" && stated.findIndex((it) => isSamePosition(it.text, text)) === at,
  );
}
