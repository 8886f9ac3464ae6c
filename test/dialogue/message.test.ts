import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, JsonValue } from "../../scripts-src/base/json.ts";
import { decide } from "../../scripts-src/dialogue/decide.ts";
import { parseDialogueEvent } from "../../scripts-src/dialogue/event.ts";
import type { MessageType } from "../../scripts-src/dialogue/message.ts";
import { report } from "../../scripts-src/dialogue/report.ts";
import {
  asked,
  byHand,
  claude,
  type Dialogue,
  dialogue,
  gemini,
  raw,
  sqlite,
  type Turn,
  wanting,
} from "./given.ts";

const ready = () => asked([gemini("RESPONSE")]);
const agrees = claude("AGREE", { position: sqlite });
const agreed = () => asked([byHand(gemini("RESPONSE")), agrees, byHand(gemini("AGREE"))]);

describe("a message", () => {
  it("is completed with what its sender left out", () => {
    const { last } = dialogue([claude("REQUEST", { says: "SQLite or files?" })]);
    assert.deepEqual(last, {
      type: "REQUEST",
      question_or_proposal: { content: "SQLite or files?", type: "question" },
      id: "auth-20260422T143507Z",
      session_id: "auth",
      timestamp: "2026-04-22T14:35:07Z",
      from: "claude",
      to: "gemini",
      round: 1,
      expects_reply: true,
      context: {
        user_instructions: "SQLite or files?",
        project_state: "The project that both work in; see references.",
        conversation_summary: "Round 1. Agreed: nothing yet. Disputed: nothing.",
      },
      agreements_so_far: [],
      disagreements_pending: [],
      meta: { round_budget_remaining: 5 },
    });
  });

  it("keeps what its sender wrote", () => {
    const context = {
      user_instructions: "be quick",
      project_state: "new",
      conversation_summary: "-",
    };
    const { last } = asked([
      gemini("RESPONSE", {
        context,
        meta: { model: "g", session_cost_usd: 1 },
        expects_reply: false,
      }),
    ]);
    assert.deepEqual(last.context, context);
    assert.deepEqual(last.meta, { model: "g", session_cost_usd: 1, round_budget_remaining: 5 });
    assert.equal(last.expects_reply, false);
  });

  it("is filed under session, second, sender and type", () => {
    const { events } = asked([gemini("COUNTER_PROPOSE", { acknowledged: ["tested"] })]);
    const files = events.flatMap((event) => {
      const known = parseDialogueEvent(event);
      return known.event === "message_sent" ? [known.file] : [];
    });
    assert.deepEqual(files, [
      "auth-20260422T143507Z-claude-request.json",
      "auth-20260422T143514Z-gemini-counter_propose.json",
    ]);
  });

  it("has a second of its own, also when the clock stands still or runs back", () => {
    const { messages } = asked(
      Array.from({ length: 30 }, () => gemini("RESPONSE")),
      {
        mode: "parallelo",
      },
    );
    const stamps = messages.map(({ timestamp }) => timestamp);
    assert.equal(new Set(stamps).size, 31);
    assert.deepEqual(stamps, stamps.toSorted());
    assert.equal(new Set(messages.map(({ id }) => id)).size, 31);
  });

  it("ignores marks that its sender copied from an older message", () => {
    const copied = { id: "auth-20200101T000000Z", timestamp: "2020-01-01T00:00:00Z" };
    const { last } = asked([gemini("RESPONSE", copied)]);
    assert.equal(last.id, "auth-20260422T143514Z");
    assert.equal(last.timestamp, "2026-04-22T14:35:14Z");
  });
});

const replies: [type: MessageType, from: () => ReturnType<typeof asked>, expected: boolean][] = [
  ["REQUEST", dialogue, true],
  ["RESPONSE", ready, true],
  ["EVALUATE", ready, true],
  ["COUNTER_PROPOSE", ready, true],
  ["CLARIFY", ready, true],
  ["AGREE", ready, true],
  ["CONSENSUS", agreed, false],
  ["ESCALATE", ready, false],
  ["TASK_ASSIGN", ready, true],
  ["TASK_RESULT", () => asked([gemini("TASK_ASSIGN")]), true],
];
for (const [type, from, expected] of replies) {
  it(`${type} ${expected ? "expects" : "does not expect"} a reply by default`, () => {
    const played = from().and(claude(type, { acknowledged: ["x"] }));
    assert.equal(played.last.expects_reply, expected);
  });
}

it("AGREE expects no reply when it is the one that completes the agreement", () => {
  const { last, state } = ready().and(claude("AGREE"), gemini("AGREE"));
  assert.deepEqual([last.expects_reply, state.phase], [false, "consensus"]);
  const ours = asked([byHand(gemini("AGREE")), agrees]);
  assert.deepEqual([ours.last.expects_reply, ours.state.phase], [false, "agreed"]);
});

it("AGREE expects a reply while something is open", () => {
  const open = ready().and(claude("AGREE", { asks: ["Which disk?"] }));
  assert.equal(open.last.expects_reply, true);
});

const kinds: [type: MessageType, kind: string][] = [
  ["RESPONSE", "proposal"],
  ["CLARIFY", "question"],
  ["TASK_ASSIGN", "question"],
  ["EVALUATE", "proposal"],
];
for (const [type, kind] of kinds) {
  it(`${type} is a ${kind} unless its sender says otherwise`, () => {
    assert.equal(ready().and(claude(type)).last.question_or_proposal.type, kind);
  });
}

describe("rounds", () => {
  it("are one message of each side", () => {
    const { messages, state } = ready().and(
      claude("EVALUATE"),
      gemini("EVALUATE"),
      claude("EVALUATE"),
    );
    assert.deepEqual(
      messages.map(({ round }) => round),
      [1, 1, 2, 2, 3],
    );
    assert.equal(state.round, 3);
  });

  it("do not go backwards", () => {
    const later = ready().and(claude("EVALUATE"));
    const reason = /round is 1, but the session is at 2; leave round out/;
    assert.match(later.refusal(gemini("EVALUATE", { round: 1 })), reason);
  });

  it("of a colleague by hand that counts slower are heard, as ours", () => {
    const later = ready().and(claude("EVALUATE"), byHand(gemini("EVALUATE", { round: 1 })));
    assert.equal(later.last.round, 2);
  });

  it("follow a colleague that counts faster", () => {
    const later = ready().and(claude("EVALUATE"), byHand(gemini("EVALUATE", { round: 4 })));
    assert.equal(later.last.round, 4);
    assert.equal(later.state.round, 2);
    assert.equal(later.and(claude("EVALUATE")).last.round, 4);
  });

  it("do not run ahead of what the session can have", () => {
    const most = Number.MAX_SAFE_INTEGER;
    const reason = /round is \d+, but the next message is of round (\d) at most; leave round out/;
    const first = dialogue([]).refusal(claude("REQUEST", { round: most }));
    assert.equal(reason.exec(first)?.[1], "1");
    const later = ready().and(claude("EVALUATE"));
    assert.equal(reason.exec(later.refusal(gemini("EVALUATE", { round: 3 })))?.[1], "2");
    const hand = later.refusal(byHand(gemini("EVALUATE", { round: 5 })));
    assert.equal(reason.exec(hand)?.[1], "4");
  });

  it("leave room for a colleague that counts slower than one before it", () => {
    const fast = ready().and(claude("EVALUATE"), byHand(gemini("EVALUATE", { round: 4 })));
    const slow = fast.and(byHand(claude("EVALUATE", { round: 3 })));
    assert.equal(slow.last.round, 4);
  });
});

describe("a message is refused", () => {
  const wrong: [name: string, message: JsonValue, reason: RegExp][] = [
    ["that is text", "hello", /the message is malformed: it is "hello", expected an object/],
    ["that is empty", {}, /type is missing; question_or_proposal is missing/],
    ["without content", { type: "RESPONSE", question_or_proposal: {} }, /content is missing/],
  ];
  for (const [name, message, reason] of wrong) {
    it(name, () => assert.match(asked().refusal(raw("gemini", message)), reason));
  }

  const spoilt: [name: string, turn: Turn, reason: RegExp][] = [
    ["of another type", gemini("RESPONSE", { type: "REPLY" }), /type is "REPLY", expected one of/],
    ["with a misspelt field", gemini("RESPONSE", { confidance: 1 }), /did you mean confidence\?/],
    ["with confidence above 1", gemini("RESPONSE", { confidence: 1.01 }), /a number from 0 to 1/],
    [
      "with round 0",
      gemini("RESPONSE", { round: 0 }),
      /round is 0, expected a whole number of at least 1/,
    ],
    [
      "from somebody else",
      gemini("RESPONSE", { from: "mallory" }),
      /from is "?mallory"?, expected "?gemini/,
    ],
    ["to itself", gemini("RESPONSE", { to: "gemini" }), /to is "?gemini"?, expected "?claude/],
    [
      "of another session",
      gemini("RESPONSE", { session_id: "x" }),
      /session_id is "?x"?, expected "?auth/,
    ],
    [
      "with a control character",
      gemini("RESPONSE", { says: "a\u001b[31m" }),
      /without control char/,
    ],
    ["with half a character", gemini("RESPONSE", { says: "\ud800" }), /whole Unicode characters/],
    [
      "with a question of 100 kB",
      gemini("RESPONSE", { asks: ["a".repeat(100_000)] }),
      /specific_questions\[0\] is .*, expected at most 4000 characters \(100000 came\)/,
    ],
    [
      "with 201 references",
      gemini("RESPONSE", { references: new Array(201).fill("a") }),
      /has 201 entries, expected at most 200/,
    ],
    ["before its turn", claude("EVALUATE"), /it is the turn of your peer, not of claude$/],
    [
      "that asks a second time",
      gemini("REQUEST"),
      /already has its REQUEST; use another type, or open a new/,
    ],
    [
      "from nobody in the session",
      raw("mallory", {}),
      /mallory is not in session auth; its participants are claude, gemini/,
    ],
  ];
  for (const [name, turn, reason] of spoilt) {
    it(name, () => assert.match(asked().refusal(turn), reason));
  }

  it("when the session has no question yet", () => {
    const reason = /the session has no question yet; send type REQUEST, not RESPONSE/;
    assert.match(dialogue().refusal(claude("RESPONSE")), reason);
    assert.match(
      dialogue().refusal(gemini("REQUEST")),
      /it is the turn of your peer, not of gemini/,
    );
  });

  it("when the session has ended", () => {
    const ended = ready().and(claude("ESCALATE"));
    const reason = /session auth has ended \(escalated\); open a new one with init/;
    for (const turn of [claude("EVALUATE"), gemini("EVALUATE"), gemini("ESCALATE")]) {
      assert.match(ended.refusal(turn), reason);
    }
  });

  for (const type of ["RESPONSE", "EVALUATE", "COUNTER_PROPOSE", "AGREE"] as const) {
    it(`of type ${type} without confidence`, () => {
      const turn = claude(type, { confidence: undefined, acknowledged: ["x"] });
      const reason = new RegExp(`confidence is missing; ${type} needs a number from 0 to 1`);
      assert.match(ready().refusal(turn), reason);
    });
  }
});

describe("the same draft again", () => {
  it("is recognised and not sent twice; when the other has answered it says so", () => {
    const turn = gemini("RESPONSE");
    const once = asked([turn]);
    assert.deepEqual(once.decision(turn), { ok: true, already: 3 });
    assert.match(
      once.and(claude("EVALUATE")).refusal(turn),
      /word for word your message 3, which is sent and has been answered since/,
    );
  });

  it("is recognised after it ended the session", () => {
    const turn = claude("ESCALATE");
    assert.deepEqual(ready().and(turn).decision(turn), { ok: true, already: 4 });
  });

  it("is recognised while it is sealed", () => {
    const turn = gemini("RESPONSE");
    const sealed = asked([turn], { mode: "competitiva" });
    assert.deepEqual(sealed.decision(turn), { ok: true, already: 3 });
  });

  it("from the other side is another message", () => {
    const says = "The same words.";
    const played = asked([gemini("RESPONSE", { says }), claude("RESPONSE", { says })]);
    assert.equal(played.state.seq, 4);
  });
});

describe("a colleague that writes by hand", () => {
  it("keeps its own marks and needs none of our fields", () => {
    const marks = { id: "mine", timestamp: "2026-04-22T14:00:00Z", from: "gemini", to: "claude" };
    const { last } = asked([
      byHand(gemini("RESPONSE", { ...marks, confidence: undefined, mood: "fine" })),
    ]);
    assert.equal(last.id, "mine");
    assert.equal(last.timestamp, "2026-04-22T14:00:00Z");
    assert.equal("mood" in last, false);
  });

  const lenient: [name: string, turn: Turn][] = [
    ["objects without acknowledgement", gemini("COUNTER_PROPOSE")],
    ["leaves questions unanswered by field", gemini("RESPONSE")],
    ["gives no confidence", gemini("EVALUATE", { confidence: undefined })],
    ["has progress in words", gemini("RESPONSE", { progress: "half" })],
    ["has half an entry of ours", gemini("RESPONSE", { progress: [{ kind: "artifact" }] })],
  ];
  for (const [name, turn] of lenient) {
    it(`is accepted when it ${name}`, () => {
      const questioned = dialogue([claude("REQUEST", { asks: ["Which disk?"] })]);
      assert(!questioned.decision(turn).ok);
      assert.deepEqual(questioned.and(byHand(turn)).state.obligations, []);
    });
  }

  const disputing = () =>
    asked([
      byHand(gemini("EVALUATE", { disagreements_pending: ["a", "b"] })),
      claude("EVALUATE", { synthesis: sqlite }),
      byHand(gemini("EVALUATE", { disagreements_pending: ["b"] })),
    ]);
  const pointsOf = ({ state }: Dialogue) => state.disagreements.map(({ point }) => point);

  it("settles no dispute by leaving it out of its list", () => {
    assert.deepEqual(pointsOf(disputing()), ["a", "b"]);
  });

  it("leaves it to us to settle with a reason what it left out", () => {
    const resolved = [{ point: "a", because: "gemini dropped it" }];
    const settled = disputing().and(claude("EVALUATE", { resolved, synthesis: "SQLite" }));
    assert.deepEqual(pointsOf(settled), ["b"]);
  });

  it("may settle a dispute with a reason itself", () => {
    const resolved = [{ point: "a", because: "measured" }];
    const fields = { disagreements_pending: ["b"], resolved };
    const answered = disputing().and(claude("EVALUATE"), byHand(gemini("EVALUATE", fields)));
    assert.deepEqual(pointsOf(answered), ["b"]);
  });

  it("makes progress with a new agreement", () => {
    const played = ready().and(
      claude("EVALUATE"),
      byHand(gemini("EVALUATE", { agreements_so_far: ["Use HTTPS"] })),
    );
    assert.equal(played.state.budget, 5);
  });

  const strict: [name: string, turn: Turn, reason: RegExp][] = [
    ["names another sender", gemini("RESPONSE", { from: "claude" }), /from is "?claude/],
    ["names another session", gemini("RESPONSE", { session_id: "x" }), /session_id is "?x/],
    [
      "leaves the type out",
      raw("gemini", { question_or_proposal: { content: "a" } }),
      /type is mis/,
    ],
    ["gives a wrong confidence", gemini("RESPONSE", { confidence: 2 }), /a number from 0 to 1/],
    ["declares a consensus alone", gemini("CONSENSUS"), /CONSENSUS is not reached/],
  ];
  for (const [name, turn, reason] of strict) {
    it(`is refused when it ${name}`, () => assert.match(asked().refusal(byHand(turn)), reason));
  }

  it("may send a few messages in one turn, which count as one round", () => {
    const first = ready().and(claude("EVALUATE"), byHand(gemini("EVALUATE")));
    const second = first.and(byHand(gemini("EVALUATE", { says: "And a second thought." })));
    assert.deepEqual([second.state.turn, second.state.round], [["claude"], first.state.round]);
    assert.equal(second.state.budget, first.state.budget);
    assert.deepEqual(
      second.guidance("claude").received.map(({ seq }) => seq),
      [5, 6],
    );
    const more = second.and(byHand(gemini("CLARIFY")), byHand(gemini("CLARIFY")));
    const flood = more.decision(byHand(gemini("CLARIFY")));
    assert.deepEqual([flood.ok, "later" in flood && flood.later], [false, true]);
    assert.deepEqual(more.and(claude("EVALUATE")).guidance("gemini").received.length, 1);
  });

  it("is not answered before its message is read", () => {
    const came = ready().and(claude("EVALUATE"), byHand(gemini("EVALUATE")));
    const blind = decide(came.state, {
      participant: "claude",
      origin: "script",
      fields: {
        message: claude("EVALUATE").message,
      },
      at: "2026-04-22T15:00:00.000Z",
      id: "e9",
      files: new Map(),
    });
    assert(!blind.ok);
    assert.match(blind.reason, /gemini has sent message 5 by hand, which you have not read: run/);
  });

  it("may be asked back out of turn, and nothing else may be said then", () => {
    const waiting = ready().and(claude("EVALUATE"), byHand(gemini("EVALUATE")), claude("EVALUATE"));
    assert.match(waiting.refusal(claude("EVALUATE")), /it is the turn of gemini/);
    const asking = waiting.and(claude("CLARIFY"));
    assert.deepEqual([asking.state.turn, asking.state.round], [["gemini"], waiting.state.round]);
    const scripted = asked([gemini("RESPONSE"), claude("EVALUATE")]);
    assert.match(scripted.refusal(claude("CLARIFY")), /it is the turn of gemini/);
  });

  it("that expects no reply is not waited for in silence", () => {
    const deaf = asked([byHand(gemini("RESPONSE", { expects_reply: false })), claude("EVALUATE")]);
    assert.match(
      deaf.guidance("claude").advice.join("\n"),
      /gemini said that it expects no reply: it may have stopped listening/,
    );
  });

  it("that agreed is closed by us, who would wait for its CONSENSUS in vain", () => {
    const ours = asked([byHand(gemini("AGREE")), claude("AGREE")]);
    assert.deepEqual([ours.state.phase, ours.state.turn], ["agreed", ["claude"]]);
    const theirs = asked([byHand(gemini("CLARIFY")), agrees, byHand(gemini("AGREE"))]);
    assert.deepEqual(theirs.state.turn, ["claude"]);
  });

  const closings: [criterion: string, before: Turn[], fields: JsonObject][] = [
    ["a", [byHand(gemini("AGREE")), claude("AGREE")], {}],
    ["b", [byHand(gemini("RESPONSE", { confidence: 0.95 })), claude("AGREE")], {}],
    [
      "c",
      [
        byHand(gemini("RESPONSE", { confidence: 0.9 })),
        claude("EVALUATE", { confidence: 0.9 }),
        byHand(gemini("EVALUATE", { confidence: 0.9 })),
        claude("EVALUATE", { confidence: 0.86 }),
      ],
      {},
    ],
    [
      "c, its own word being the second",
      [
        byHand(gemini("RESPONSE", { confidence: 0.9 })),
        claude("EVALUATE", { confidence: 0.9 }),
        byHand(gemini("CLARIFY")),
        claude("EVALUATE", { confidence: 0.86 }),
      ],
      { confidence: 0.9 },
    ],
  ];
  for (const [criterion, before, fields] of closings) {
    it(`may close by criterion ${criterion} of the original files`, () => {
      const ended = asked(before).and(byHand(gemini("CONSENSUS", { says: "Files.", ...fields })));
      assert.equal(ended.state.phase, "consensus");
      assert.match(ended.guidance("claude").advice.join("\n"), /not confirmed by claude/);
    });
  }

  it("may not close where no criterion is met", () => {
    const unsure = asked([
      byHand(gemini("RESPONSE", { confidence: 0.9 })),
      claude("EVALUATE", { confidence: 0.6 }),
    ]);
    assert.match(unsure.refusal(byHand(gemini("CONSENSUS"))), /CONSENSUS is not reached/);
  });

  it("closes over a dispute that it dropped, and that is told", () => {
    const ended = asked([
      byHand(gemini("EVALUATE", { disagreements_pending: ["the lock"], confidence: 0.9 })),
      claude("EVALUATE", { synthesis: sqlite, confidence: 0.9 }),
      byHand(gemini("EVALUATE", { disagreements_pending: [], confidence: 0.9 })),
      claude("EVALUATE", { confidence: 0.9 }),
      byHand(gemini("CONSENSUS", { agreements_so_far: ["both"], disagreements_pending: [] })),
    ]);
    assert.equal(ended.state.outcome?.kind, "consensus");
    const told = report(ended.state, ended.events, wanting(ended.state));
    assert.match(told.verdict, /closed by gemini by the original rules, with points open/);
    const open = told.sections.find(({ heading }) => heading === "Reservations and dissent");
    assert.match(open?.lines.join("\n") ?? "", /- disputed to the end: the lock$/m);
    assert.match(open?.lines.join("\n") ?? "", /claude has not sent AGREE/);
    assert.equal(open?.lines.filter((line) => line.includes("the lock")).length, 1, "told once");
  });

  const ours = { position: "SQLite" };
  const held: [name: string, type: MessageType, says: string][] = [
    ["its AGREE", "AGREE", "Agreed, one file is all we need."],
    ["its answer in our words", "RESPONSE", "sqlite."],
    ["its answer in our words behind a yes", "RESPONSE", "Agreed: SQLite. One writer is enough."],
    ["our words in its second sentence", "EVALUATE", "Agreed. SQLite."],
  ];
  for (const [name, type, says] of held)
    it(`changes nothing that we hold when we accept ${name}`, () => {
      const answer = byHand(gemini(type, { says }));
      const at = asked([byHand(gemini("CLARIFY")), claude("RESPONSE", ours), answer]);
      const { last, state } = at.and(claude("AGREE"));
      assert.deepEqual([last.position, state.flips], ["SQLite", []]);
    });

  it("is taken at its first sentence where it states no position", () => {
    const said = asked([byHand(gemini("RESPONSE", { says: "Use SQLite. It is tested." }))]);
    assert.equal(said.and(claude("AGREE")).last.position, "Use SQLite.");
  });

  const stated: [name: string, turns: Turn[], position: string][] = [
    ["none where it only asks back", [gemini("CLARIFY", { says: "How many writers?" })], ""],
    [
      "its answer, not what it clarified later",
      [
        gemini("RESPONSE", { says: "SQLite." }),
        claude("CLARIFY"),
        gemini("RESPONSE", {
          question_or_proposal: { type: "clarification_response", content: "Two writers." },
        }),
      ],
      "SQLite.",
    ],
    [
      "what it escalates with",
      [gemini("ESCALATE", { says: "I stay with SQLite." })],
      "I stay with SQLite.",
    ],
    [
      "its answer, not the words of its ESCALATE",
      [gemini("EVALUATE", { says: "SQLite, then." }), claude("CLARIFY"), gemini("ESCALATE")],
      "SQLite, then.",
    ],
    ["ours, once it agreed", [gemini("AGREE", { says: "Fine by me." })], "Plain files"],
  ];
  for (const [name, turns, position] of stated)
    it(`has as position in an escalation ${name}`, () => {
      const asks = dialogue([
        claude("REQUEST", { says: "Redis or files?", position: "Plain files" }),
      ]);
      const said = turns.map((turn) => (turn.by === "gemini" ? byHand(turn) : turn));
      const at = asks.and(...said);
      const { outcome } = (at.state.outcome ? at : at.and(claude("ESCALATE"))).state;
      assert(outcome?.kind === "escalated");
      assert.equal(outcome.positions[1]?.position, position);
    });

  it("may close in the same moment as we do", () => {
    const closed = asked([
      byHand(gemini("AGREE")),
      claude("AGREE"),
      claude("CONSENSUS", { says: "Files." }),
    ]);
    const same = closed.and(byHand(gemini("CONSENSUS", { says: "files" })));
    assert.doesNotMatch(report(same.state, same.events, wanting(same.state)).verdict, /confirmed/);
    const other = closed.and(byHand(gemini("CONSENSUS", { says: "Files, but in RAM." })));
    assert.match(
      report(other.state, other.events, wanting(other.state)).verdict,
      /closing text not confirmed by gemini, who closed in its own words \(message 6\)/,
    );
  });
});
