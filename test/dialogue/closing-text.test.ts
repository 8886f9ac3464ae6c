import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withStage } from "../../scripts-src/dialogue/delivery.ts";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { report } from "../../scripts-src/dialogue/report.ts";
import type { View } from "../../scripts-src/protocol/protocol.ts";
import { asked, byHand, claude, type Dialogue, draftIn, gemini, sqlite, wanting } from "./given.ts";

/** gemini works by hand: only then a text closes that the other side has not confirmed. */
const hand = (...turn: Parameters<typeof gemini>) => byHand(gemini(...turn));
const closed = () =>
  asked([
    hand("RESPONSE"),
    claude("AGREE", { position: sqlite }),
    hand("AGREE"),
    claude("CONSENSUS", { says: "No files." }),
  ]);
const objects = () =>
  hand("EVALUATE", {
    acknowledged: ["short"],
    objections: [{ point: "we agreed on files", because: "messages 3 and 5", about: "judgement" }],
  });
const verdictOf = ({ state, events }: Dialogue) => report(state, events, wanting(state)).verdict;
const shownTo = (name: string, { state }: Dialogue) =>
  withStage(state, name, { event: "in_turn", messages: [6], by: "next-action" });

const onJudgement = "CONSENSUS on judgement, nothing was checked";

describe("the text that closes a session", () => {
  it("is not confirmed until the other side has it before it", () => {
    assert.equal(verdictOf(closed()), `${onJudgement}; closing text not confirmed by gemini`);
    const { summary, unconfirmedBy } = protocol.standing(closed().state);
    assert.match(summary, /closing text not confirmed by gemini$/);
    assert.equal(unconfirmedBy, "gemini");
    const [decision] = protocol.conclusions(closed().state, closed().events, new Map());
    assert.equal(decision?.outcome, onJudgement);
    assert.equal(protocol.standing(shownTo("gemini", closed())).unconfirmedBy, undefined);
    assert.equal(protocol.standing(shownTo("claude", closed())).unconfirmedBy, "gemini");
  });

  it("is shown to the other side with the way to object, and to its author without", () => {
    const guidance = closed().guidance("gemini");
    assert.equal(guidance.turn, "ended");
    assert.match(guidance.advice.join("\n"), /decision: "No files\."\nclosing text not con/);
    assert.match(guidance.advice.join("\n"), /Compare that text with what you agreed/);
    assert.match(JSON.stringify(guidance.moves), /"type":"AGREE".*"type":"EVALUATE"/);
    assert.deepEqual(closed().guidance("claude").moves, []);
  });

  it("is confirmed by AGREE, after which nothing can be said", () => {
    const confirmed = closed().and(hand("AGREE"));
    assert.equal(verdictOf(confirmed), onJudgement);
    assert.equal(confirmed.state.phase, "consensus");
    assert.match(confirmed.refusal(objects()), /has ended/);
  });

  it("is reopened by an objection, also after it was seen", () => {
    const reopened = closed().and(objects());
    const { phase, turn, outcome } = reopened.state;
    assert.deepEqual([phase, turn, outcome], ["talking", ["claude"], undefined]);
    assert.match(String(draftIn(reopened.guidance("claude"))["synthesis"]), /^From '/);
    const again = reopened.and(
      claude("AGREE", { position: sqlite, says: "You are right: files." }),
      hand("AGREE", { resolved: [{ point: "we agreed on files", because: "said so" }] }),
      claude("CONSENSUS", { says: "Files." }),
    );
    assert.equal(verdictOf(again), `${onJudgement}; closing text not confirmed by gemini`);
    const seen = { ...closed(), state: shownTo("gemini", closed()) };
    assert.notEqual(seen.guidance("gemini").moves.length, 0);
  });

  it("takes nothing else after it", () => {
    assert.match(closed().refusal(hand("EVALUATE")), /has ended \(consensus\)/);
    assert.match(closed().refusal(gemini("CONSENSUS")), /has ended \(consensus\)/);
    assert.match(
      closed().refusal(claude("EVALUATE", { acknowledged: ["x"], says: "I disagree." })),
      /ended/,
    );
    assert.match(closed().refusal(hand("ESCALATE")), /has ended \(consensus\)/);
  });

  it("is no merged solution any more once it was objected to", () => {
    const solution = (played: Dialogue): View | undefined =>
      protocol.views(played.state, played.events.at(-1)).find(({ name }) => /solution/.test(name));
    assert.match(solution(closed())?.text ?? "", /No files\./);
    const withdrawn = solution(closed().and(objects()))?.text ?? "";
    assert.match(withdrawn, /None now: gemini objected to the closing text/);
    assert.doesNotMatch(withdrawn, /No files/);
    assert.equal(solution(closed().and(hand("AGREE"))), undefined);
  });
});
