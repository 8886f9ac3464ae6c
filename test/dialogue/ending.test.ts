import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { decide } from "../../scripts-src/dialogue/decide.ts";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { evolve } from "../../scripts-src/dialogue/fold.ts";
import {
  asked,
  byHand,
  claude,
  gemini,
  reasonsOf,
  type Setting,
  saw,
  sqlite,
  type Turn,
  timeOf,
} from "./given.ts";

const answered = () => asked([gemini("RESPONSE")]);
const hand = (...turn: Parameters<typeof gemini>) => byHand(gemini(...turn));
const agrees = claude("AGREE", { position: sqlite });
/** Both agreed; gemini works by hand, so that claude closes. */
const agreed = () => asked([hand("RESPONSE"), agrees, hand("AGREE")]);

/** Of two that run the scripts the second AGREE closes: see positions.test.ts. */
describe("consensus with a colleague by hand", () => {
  it("takes AGREE of both, then CONSENSUS of the one that runs the scripts", () => {
    const { state } = agreed();
    assert.equal(state.phase, "agreed");
    assert.deepEqual(state.turn, ["claude"]);
    const ended = agreed().and(claude("CONSENSUS", { says: "Files, one line an event." }));
    assert.equal(ended.state.phase, "consensus");
    assert.deepEqual(ended.state.turn, []);
    assert.deepEqual(ended.state.outcome, {
      kind: "consensus",
      decision: "Files, one line an event.",
      by: "claude",
      seq: 6,
      confirmed: "no",
      open: [],
    });
    assert.equal(ended.guidance("gemini").turn, "ended");
    assert.match(
      ended.guidance("gemini").advice.join(),
      /^at its end: CONSENSUS.*Files, one line an event/,
    );
  });

  const missing: [name: string, turns: Turn[], reason: RegExp][] = [
    ["one AGREE is missing", [claude("AGREE"), hand("EVALUATE")], /: gemini has not sent AGREE/],
    [
      "both are missing",
      [claude("EVALUATE"), hand("EVALUATE")],
      /claude has not sent AGREE.*gemini has not/,
    ],
    [
      "an AGREE is below the threshold",
      [claude("AGREE", { confidence: 0.84 }), hand("AGREE")],
      /: claude has not sent AGREE with confidence >= 0\.85/,
    ],
    [
      "something is disputed",
      [claude("AGREE"), hand("EVALUATE", { disagreements_pending: ["the name"] })],
      /still disputed: "?the name/,
    ],
    [
      "a question is open",
      [claude("AGREE", { asks: ["Which disk?"] }), hand("CLARIFY")],
      /gemini has not answered Q4\.1: "?Which disk\?/,
    ],
    [
      "a claim is not re-checked",
      [claude("AGREE", { claims: [{ text: "2 ms", check: "bench" }] }), hand("CLARIFY")],
      /gemini has not re-checked C4\.1: "?2 ms/,
    ],
    [
      "a task is not reported",
      [claude("TASK_ASSIGN", { says: "Measure." }), hand("CLARIFY")],
      /gemini has not reported on task T4: "?Measure/,
    ],
  ];
  for (const [name, turns, reason] of missing)
    it(`is refused while ${name}`, () => {
      const refusal = asked([hand("RESPONSE"), ...turns]).refusal(claude("CONSENSUS"));
      assert.match(refusal, /^CONSENSUS is not reached: /);
      assert.match(refusal, reason);
    });

  it("needs each AGREE at the threshold of the session's rules", () => {
    const rules = { consensus_confidence_threshold: 0.95 };
    const short = asked([gemini("RESPONSE"), claude("AGREE"), gemini("AGREE")], { rules });
    assert.equal(short.state.phase, "talking");
    const sure = [claude("AGREE", { confidence: 0.95 }), gemini("AGREE", { confidence: 1 })];
    assert.equal(short.and(...sure).state.phase, "consensus");
  });

  it("never follows from confidence alone", () => {
    const sure = { confidence: 1 };
    const { state } = asked([
      gemini("RESPONSE", sure),
      claude("EVALUATE", sure),
      gemini("EVALUATE", sure),
    ]);
    assert.equal(state.phase, "talking");
  });

  const unseen: [name: string, fields: JsonObject, reason: RegExp][] = [
    ["a new agreement", { agreements_so_far: ["new"] }, /CONSENSUS adds "new", which your peer/],
    [
      "a dispute",
      { disagreements_pending: ["new"], acknowledged: ["x"] },
      /CONSENSUS lists "new" as/,
    ],
    [
      "an objection",
      { objections: [{ point: "it", because: "no" }], acknowledged: ["x"] },
      /brings nothing new, but objections/,
    ],
    ["a question", { asks: ["Or not?"] }, /but specific_questions came/],
    ["a claim to check", { claims: [{ text: "2 ms", check: "bench" }] }, /but claims came/],
    ["a synthesis", { synthesis: "both" }, /but synthesis came/],
    ["a question to the user", { needs_user: "Which colour?" }, /but needs_user came/],
  ];
  for (const [name, fields, reason] of unseen)
    it(`may not bring ${name}`, () => {
      assert.match(agreed().refusal(claude("CONSENSUS", fields)), reason);
    });

  it("is reopened by an objection, and both agree again", () => {
    const objections = [{ point: "cost", because: "x" }];
    const reopened = agreed().and(claude("EVALUATE", { objections, acknowledged: ["x"] }));
    assert.equal(reopened.state.phase, "talking");
    const again = reopened.and(hand("AGREE"), claude("AGREE", { position: sqlite }));
    assert.equal(again.state.phase, "agreed");
    assert.equal(again.and(claude("CONSENSUS")).state.phase, "consensus");
  });
});

describe("deadlock", () => {
  const disputing = (count: number): Turn[] => {
    const first = gemini("EVALUATE", { disagreements_pending: ["the lock"], acknowledged: ["x"] });
    const turns = [first];
    for (let round = 2; round <= count; round += 1)
      turns.push(claude("EVALUATE"), gemini("CLARIFY"));
    return turns;
  };
  const countering = (by: typeof claude) => by("COUNTER_PROPOSE", { acknowledged: ["x"] });
  const swinging = (values: number[]): Turn[] =>
    values.flatMap((confidence) => [gemini("EVALUATE", { confidence }), claude("EVALUATE")]);

  it("is two rounds of counter-proposals from both", () => {
    const both = { synthesis: "both" };
    const once = answered().and(
      claude("COUNTER_PROPOSE", { acknowledged: ["x"] }),
      gemini("COUNTER_PROPOSE", { acknowledged: ["x"], ...both }),
    );
    assert.equal(once.state.counterRounds, 1);
    const ended = once.and(claude("COUNTER_PROPOSE", { acknowledged: ["x"], ...both }));
    assert.deepEqual(
      reasonsOf(ended.and(gemini("COUNTER_PROPOSE", { acknowledged: ["x"], synthesis: "c" }))),
      ["synthesis_failed", "deadlock"],
    );
    const calm = once.and(
      claude("AGREE", { resolved: [{ point: "a", because: "b holds" }] }),
      gemini("CLARIFY"),
    );
    assert.equal(calm.state.counterRounds, 0);
    assert.equal(answered().and(countering(claude)).state.counterRounds, 0);
  });

  it("is only told where the rules do not let it escalate", () => {
    const rules = { auto_escalate_on_deadlock: false };
    const stuck = asked(disputing(3), { rules });
    assert.equal(stuck.state.phase, "talking");
    assert.match(stuck.guidance("claude").standing.join("\n"), /deadlock: "?disputed for 3 rounds/);
  });

  it("does not take a session from two that have just agreed", () => {
    const confidences = [0.6, 0.9, 0.6];
    const swung = asked(swinging(confidences).slice(0, -1)).and(
      claude("AGREE"),
      gemini("AGREE", { confidence: 0.9 }),
    );
    assert.equal(swung.state.phase, "consensus");
  });
});

describe("an escalation", () => {
  it("by a participant names goal, both positions and the point", () => {
    const ended = asked([
      gemini("RESPONSE", { position: "Files.", confidence: 0.6 }),
      claude("EVALUATE", {
        position: "SQLite.",
        disagreements_pending: ["files or SQLite"],
        acknowledged: ["simple"],
        confidence: 0.8,
      }),
      gemini("ESCALATE", { says: "We are stuck." }),
    ]);
    assert.deepEqual(ended.state.outcome, {
      kind: "escalated",
      seq: 5,
      by: "gemini",
      reasons: [{ code: "requested", text: "We are stuck." }],
      goal: "SQLite or files?",
      positions: [
        { participant: "claude", position: "SQLite.", confidence: 0.8 },
        { participant: "gemini", position: "Files.", confidence: 0.6 },
      ],
      disagreement: "files or SQLite",
      from: { phase: "talking", turn: ["gemini"] },
    });
    assert.deepEqual(ended.state.turn, []);
  });

  it("may be called out of turn, with every duty void", () => {
    const due = asked([gemini("COUNTER_PROPOSE", { asks: ["Why?"], acknowledged: ["x"] })]);
    assert.deepEqual(reasonsOf(due.and(gemini("ESCALATE"))), ["requested"]);
    assert.deepEqual(reasonsOf(due.and(claude("ESCALATE"))), ["requested"]);
  });

  it("follows at once from a question to the user, in any message", () => {
    for (const turn of [claude("ESCALATE"), claude("EVALUATE"), claude("AGREE")]) {
      const asking = {
        ...turn,
        message: Object.assign({ needs_user: "Which colour?" }, turn.message),
      };
      const ended = answered().and(asking);
      assert.deepEqual(reasonsOf(ended), ["user_decision"]);
      assert.match(ended.guidance("gemini").advice.join("\n"), /Which colour\?/);
    }
  });

  it("names a position that stands in an ESCALATE, and none that is only a question", () => {
    const ended = asked([gemini("ESCALATE", { says: "Files, or nothing." })]);
    const { outcome } = ended.state;
    assert(outcome?.kind === "escalated");
    assert.deepEqual(
      outcome.positions.map((it) => it.position),
      ["", "Files, or nothing."],
    );
  });

  const busy = (by: typeof claude, at: number) => [saw(by.name, `a.ts:${at}`), by("EVALUATE")];
  const rounds = (count: number, setting?: Setting) => {
    const turns: Turn[] = [gemini("RESPONSE")];
    for (let at = 2; at <= count; at += 1) turns.push(...busy(claude, at), ...busy(gemini, at));
    return asked(turns, setting);
  };

  it("follows from the round limit, however much progress is made", () => {
    assert.equal(rounds(9).state.phase, "talking");
    assert.deepEqual(reasonsOf(rounds(10)), ["max_rounds"]);
    assert.deepEqual(reasonsOf(rounds(2, { rules: { max_rounds: 2 } })), ["max_rounds"]);
  });

  it("does not follow from the round limit when both agree in the last round", () => {
    const rules = { max_rounds: 2 };
    const last = asked([gemini("RESPONSE"), claude("AGREE"), gemini("AGREE")], { rules });
    assert.equal(last.state.phase, "consensus");
    const before = asked([hand("RESPONSE"), claude("AGREE"), hand("AGREE")], { rules });
    assert.equal(before.and(claude("CONSENSUS")).state.phase, "consensus");
  });

  it("follows from the round limit also when two that agreed never close", () => {
    let played = agreed();
    for (let at = 0; at < 40 && played.state.phase === "agreed"; at += 1) {
      const more = { says: `One more thought ${at}.`, confidence: 0.9 };
      played = played.and(claude("EVALUATE", more));
      if (played.state.phase === "agreed") played = played.and(hand("EVALUATE", more));
    }
    assert.deepEqual(reasonsOf(played), ["max_rounds"]);
    assert(played.state.round <= 11, `round ${played.state.round} of 10`);
  });

  it("names every reason, in the table's order", () => {
    const reject = (by: typeof claude, fields: JsonObject = {}) =>
      by("EVALUATE", {
        objections: [{ point: "it", because: "no" }],
        acknowledged: ["x"],
        ...fields,
      });
    const ended = asked([
      gemini("RESPONSE"),
      reject(claude),
      gemini("EVALUATE", { synthesis: "a" }),
      reject(claude),
      gemini("EVALUATE", { synthesis: "b" }),
      reject(claude, { needs_user: "Which?" }),
    ]);
    assert.deepEqual(reasonsOf(ended), ["user_decision", "synthesis_failed"]);
  });

  it("by close leaves a session without a result, once, and tells the others", () => {
    const { state } = answered();
    const closing = protocol.closing?.(state, "claude", "asked the wrong thing");
    assert(closing);
    const submission = {
      ...closing,
      at: timeOf(4),
      id: "e4",
      files: new Map(),
    };
    const decision = decide(state, submission);
    assert(decision.ok && "event" in decision);
    assert.deepEqual(
      [decision.event.event, decision.event.from, decision.event.summary],
      ["closed", "claude", "closed by claude: asked the wrong thing"],
    );
    const ended = evolve(state, decision.event);
    assert.deepEqual([ended.phase, ended.turn], ["closed", []]);
    const { seq } = decision.event;
    const outcome = { kind: "closed", seq, by: "claude", reason: "asked the wrong thing" };
    assert.deepEqual(ended.outcome, outcome);
    assert.deepEqual(
      ["claude", "gemini"].map((name) => protocol.mail?.pending(ended, name).at(-1)?.type),
      ["RESPONSE", "ESCALATE"],
    );
    assert.deepEqual(decide(ended, submission), { ok: true, already: seq });
    const other = decide(ended, { ...submission, fields: { reason: "another one" } });
    assert(!other.ok);
    assert.match(other.reason, /has ended \(closed\)/);
  });
});
