import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isRecord, type JsonObject, type JsonValue } from "../../scripts-src/base/json.ts";
import { decide } from "../../scripts-src/dialogue/decide.ts";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { evolve } from "../../scripts-src/dialogue/fold.ts";
import { messageTypes } from "../../scripts-src/dialogue/message.ts";
import type { DialogueState } from "../../scripts-src/dialogue/state.ts";
import { modes } from "../../scripts-src/protocol/config.ts";
import type { SessionState } from "../../scripts-src/protocol/protocol.ts";
import {
  snapshotOf,
  stateAfter,
  stateAtStart,
  stateInSnapshot,
} from "../../scripts-src/protocol/session-state.ts";
import { withPerson } from "../../scripts-src/protocol/with-person.ts";
import { randomRuns } from "../random-runs.ts";
import {
  asked,
  claude,
  type Dialogue,
  dialogue,
  draftIn,
  files,
  gemini,
  participants,
  raw,
  record,
  saw,
  sqlite,
  timeOf,
} from "./given.ts";

/** Draws choices from a list of numbers, so that a failing play shrinks to few and small ones. */
class Dice {
  readonly #numbers: number[];
  #at = 0;

  constructor(numbers: number[]) {
    this.#numbers = numbers;
  }

  /** A whole number below `sides`; 0 when the numbers are used up. */
  roll(sides: number): number {
    const number = this.#numbers[this.#at] ?? 0;
    this.#at += 1;
    return number % sides;
  }

  pick<T>(first: T, ...rest: T[]): T {
    return [first, ...rest][this.roll(rest.length + 1)] ?? first;
  }
}

/** Fills every blank of a form with words, a number or one of its choices. */
function filled(form: JsonObject, note: string, dice: Dice): JsonObject {
  const text = JSON.stringify(form).replace(/<([^<>]+)>/g, (_, hint: string) => {
    if (hint === "0..1") return dice.pick("0.9", "0.6");
    if (hint === "fact|judgement") return dice.pick("fact", "judgement");
    const [choice = "", ...others] = hint.split("|");
    return others.length > 0 ? choice : `words for ${note}`;
  });
  return JSON.parse(text);
}

function some(dice: Dice, fields: JsonObject): JsonObject {
  return dice.roll(3) === 1 ? fields : {};
}

/** What it has to look at first, as it is or as it is not. */
function afterLooks(played: Dialogue, by: string, dice: Dice): Dialogue {
  const looks = (played.guidance(by).toCheck ?? []).map((claim) => {
    const about = claim === "" ? {} : { claim };
    return saw(by, "notes.md:1", { ...about, met: dice.roll(3) > 0 });
  });
  return played.and(...looks);
}

/** What an obedient agent does: it looks, fills in a form, and says whatever else the protocol lets it say. */
function obedient(before: Dialogue, by: string, dice: Dice, wanted?: string): Dialogue {
  const played = afterLooks(before, by, dice);
  const { state } = played;
  const forms = played.guidance(by).moves.flatMap(({ input }) => (isRecord(input) ? [input] : []));
  const form =
    forms.find(({ type }) => type === wanted) ?? dice.pick(draftIn(played.guidance(by)), ...forms);
  const note = `${by} at ${state.seq}`;
  const given = filled(form, note, dice);
  const isOpen = ["EVALUATE", "RESPONSE"].includes(String(given["type"]));
  if (!isOpen || state.phase !== "talking" || wanted !== undefined)
    return played.and(raw(by, given));
  const fresh = `point of ${note}`;
  const points = state.disagreements.map(({ point }) => point);
  const isOwed = state.synthesis.owedBy === by;
  return played.and(
    raw(by, {
      ...given,
      acknowledged: [`the work of ${by}'s peer`],
      // A new dispute would want a synthesis where a look has settled the old one.
      ...(isOwed ? {} : some(dice, { disagreements_pending: [...points, fresh] })),
      ...some(dice, { agreements_so_far: [...state.agreements, fresh] }),
      ...some(dice, { claims: [{ text: fresh, check: dice.pick("notes.md:1", "npm test") }] }),
      ...some(dice, { question_or_proposal: { content: note, specific_questions: [note] } }),
      ...(dice.roll(6) === 1 ? { position: `Use ${note}.`, because: "judgement: it may be" } : {}),
      ...(dice.roll(8) === 1 ? { type: "TASK_ASSIGN" } : {}),
      ...(dice.roll(40) === 1 ? { needs_user: "Which colour?" } : {}),
    }),
  );
}

describe("any play of two that do what next-action says", () => {
  for (const mode of modes) {
    it(`is accepted and ends within the round limit, in ${mode}`, () => {
      const numbers = fc.array(fc.nat({ max: 119 }), { maxLength: 200, size: "max" });
      fc.assert(
        fc.property(numbers, fc.integer({ min: 2, max: 7 }), (rolls, max_rounds) => {
          const dice = new Dice(rolls);
          let played = dialogue([], { mode, rules: { max_rounds } });
          for (let turns = 0; played.state.turn.length > 0; turns += 1) {
            assert(turns <= 6 * max_rounds + 10, `no end after ${turns} turns`);
            const by = dice.pick(played.state.turn[0] ?? "", ...played.state.turn.slice(1));
            assert.equal(played.guidance(by).turn, "yours");
            played = obedient(played, by, dice);
          }
          assert(played.state.round <= max_rounds + 2, `round ${played.state.round}`);
          for (const name of participants) assert.equal(played.guidance(name).turn, "ended");
        }),
        { numRuns: randomRuns(30) },
      );
    });
  }
});

for (const mode of modes) {
  it(`two that agree as soon as they may come to consensus, in ${mode}`, () => {
    let played = dialogue([], { mode });
    for (let turns = 0; played.state.turn.length > 0; turns += 1) {
      assert(turns < 10, "they go on and on");
      const [by = ""] = played.state.turn;
      played = obedient(played, by, new Dice([]), "AGREE");
    }
    assert.equal(played.state.phase, "consensus");
  });
}

const words = (text: string) => text.split(" ");

/** Drafts that are nearly right: known fields with values of any kind. */
const fields = [
  ...words("id session_id from to type round expects_reply context discoveries references"),
  ...words("tried_and_discarded question_or_proposal confidence agreements_so_far"),
  ...words("disagreements_pending meta answers acknowledged objections resolved position accepts"),
  ...words("because withdrawn reservations synthesis self_check claims checks needs_user"),
  ...words("__proto__ constructor"),
];
const entry = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("fact", "fails", "C3.1", "Q3.1", "open", "the lock", "REQUEST", ...participants),
);
const item = fc.dictionary(
  fc.constantFrom(
    ...words(
      "point because about kind path tool result claim outcome evidence question answer text " +
        "check content specific_questions __proto__",
    ),
  ),
  fc.oneof(entry, fc.array(entry, { maxLength: 2 })),
  { maxKeys: 6 },
);
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(
    fc.constantFrom(...fields),
    fc.oneof(
      entry,
      fc.double(),
      fc.boolean(),
      item,
      fc.array(item, { maxLength: 2 }),
      fc.array(entry, { maxLength: 2 }),
    ),
    { maxKeys: 8 },
  ),
  fc.record(
    {
      type: fc.constantFrom(...messageTypes),
      question_or_proposal: fc.record({
        content: fc.constantFrom("words", "I disagree", "a\u0000"),
      }),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      objections: fc.array(item, { maxLength: 2 }),
      resolved: fc.array(item, { maxLength: 2 }),
      position: entry,
      because: fc.array(entry, { maxLength: 2 }),
      acknowledged: fc.array(entry, { maxLength: 1 }),
    },
    { requiredKeys: ["type", "question_or_proposal"] },
  ),
);

it("junk never throws: it is accepted and readable, or refused with a reason", () => {
  const stages = [
    dialogue(),
    asked(),
    asked([gemini("RESPONSE", { asks: ["Why?"], claims: [{ text: "a", check: "b" }] })]),
    asked([], { mode: "competitiva" }),
    asked([
      gemini("COUNTER_PROPOSE", { acknowledged: ["x"], disagreements_pending: ["the lock"] }),
    ]),
    asked([gemini("RESPONSE"), claude("ESCALATE")]),
  ];
  const senders = fc.constantFrom(...participants, "mallory");
  const play = fc.tuple(fc.constantFrom(...stages), junk, senders, fc.boolean());
  fc.assert(
    fc.property(play, ([played, value, by, foreign]) => {
      const message: JsonValue = JSON.parse(JSON.stringify(value));
      const wanted = { for: "decision" as const, participant: "a", fields: { message } };
      protocol.filesWanted(played.state, wanted);
      const decision = played.decision(raw(by, message, foreign ? "inbox" : "script"));
      if (!decision.ok) {
        assert(decision.reason.length > 10);
      } else if ("event" in decision) {
        const stored = JSON.parse(JSON.stringify(decision.event));
        for (const name of participants)
          assert(protocol.nextAction(evolve(played.state, stored), name, new Map()));
      }
    }),
    { numRuns: randomRuns(300) },
  );
});

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

/** Plays with most fields in use. */
const richTurns = () => [
  gemini("COUNTER_PROPOSE", {
    position: files,
    acknowledged: ["tested"],
    asks: ["Which disk?"],
    claims: [{ text: "2 ms", check: "bench.md:1" }],
    disagreements_pending: ["the lock"],
    objections: [{ point: "slow", because: "x", about: "fact" }],
  }),
  saw("claude", "bench.md:1", { claim: "C3.1" }),
  claude("EVALUATE", {
    answers: [{ question: "Q3.1", answer: "SSD" }],
    checks: [
      { claim: "C3.1", outcome: "holds", evidence: "E4" },
      { claim: "F3.1", outcome: "not_run", reason: "no disk here" },
    ],
    agreements_so_far: ["Use UTF-8"],
    reservations: ["the lock"],
  }),
  gemini("TASK_ASSIGN", { synthesis: "SQLite as index over plain files." }),
  claude("TASK_RESULT"),
  gemini("AGREE", {
    resolved: ["the lock", "slow"].map((point) => ({ point, because: "it is gone" })),
    because: "judgement: an index is enough",
  }),
  claude("AGREE"),
];

it("evolve, decide and nextAction change nothing that they are given", () => {
  let state: DialogueState = frozen(protocol.initialState({}));
  for (const event of asked(richTurns()).events.map(frozen)) {
    state = frozen(evolve(state, event));
    for (const participant of participants) {
      protocol.nextAction(state, participant, new Map());
      const message: JsonValue = frozen({
        type: "RESPONSE",
        question_or_proposal: { content: "a" },
      });
      const at = timeOf(99);
      const submission = { participant, origin: "script" as const, fields: { message } };
      decide(state, { ...submission, at, id: "x", files: new Map() });
    }
  }
  assert.equal(state.phase, "consensus");
});

const kind = withPerson(protocol);

function saved(at: SessionState) {
  return JSON.parse(JSON.stringify(snapshotOf(at, {})));
}

it("a log folded again, or taken up from a snapshot at any place, gives the same guidance", () => {
  const { events } = asked(richTurns());
  let now = stateAtStart(kind, {});
  for (const [at, event] of events.entries()) {
    now = stateAfter(now, event);
    const taken = stateInSnapshot(kind, saved(now), {});
    assert(taken);
    const restored = events.slice(at + 1).reduce(stateAfter, taken).state;
    const whole = events.reduce((state, it) => evolve(state, it), protocol.initialState({}));
    for (const name of participants)
      assert.deepEqual(
        taken.kind.nextAction(restored, name, new Map()),
        protocol.nextAction(whole, name, new Map()),
      );
    assert.deepEqual(taken.kind.standing(restored), protocol.standing(whole));
  }
});

it("a snapshot of another version or kind is not taken up", () => {
  const [opened] = dialogue().events;
  assert(opened);
  const whole = saved(stateAfter(stateAtStart(kind, {}), opened));
  assert(stateInSnapshot(kind, whole, {}));
  for (const change of [{ version: 0 }, { kind: "findings" }, { state: null }])
    assert.equal(stateInSnapshot(kind, { ...whole, ...change }, {}), undefined);
  assert.equal(stateInSnapshot(kind, null, {}), undefined);
});

describe("six hundred messages in parallelo", () => {
  const rules = { max_rounds: 1_000_000, auto_escalate_on_deadlock: false };
  const long = "many words ".repeat(20);

  it("leave a state of bounded size", () => {
    let { state } = asked([], { mode: "parallelo", rules });
    const sizes: number[] = [];
    for (let at = 0; at < 600; at += 1) {
      const by = at % 2 === 0 ? gemini : claude;
      const asks = [`${at} ${long}`];
      const answers = state.obligations
        .filter((it) => it.code === "answer" && it.by === by.name)
        .map(({ id }) => ({ question: id, answer: long }));
      const turn = by("EVALUATE", {
        says: `${at} ${long}`,
        asks,
        answers,
        claims: state.obligations.length < 200 ? [{ text: long, check: long }] : [],
        position: sqlite,
        references: [long],
        confidence: (at % 10) / 20 + 0.5,
      });
      const looked = { evidence: JSON.parse(JSON.stringify(record(`${at}/${long.trim()}.md:1`))) };
      for (const fields of [looked, { message: turn.message }]) {
        const submission = { participant: turn.by, origin: "script" as const, fields };
        const now = { at: timeOf(state.seq + 1), id: `e${state.seq}`, files: new Map() };
        const decision = decide(state, { ...submission, ...now });
        assert(decision.ok, decision.ok ? "" : decision.reason);
        assert("event" in decision);
        state = evolve(state, decision.event);
      }
      if (at % 150 === 149) sizes.push(JSON.stringify(state).length);
    }
    const [, second = 0, , last = 0] = sizes;
    assert(last <= second * 1.02, `${sizes.join(", ")} characters`);
    assert(last < 4_194_304, `${last} characters do not fit into a checkpoint`);
  });
});

describe("whatever is accepted can be read back", () => {
  it("when many claims fail at once on top of many disputes", () => {
    const many = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${name} ${at}`);
    const claims = many("claim", 150).map((text) => ({ text, check: "bench" }));
    const played = asked([
      gemini("EVALUATE", {
        claims,
        disagreements_pending: many("dispute", 150),
        acknowledged: ["x"],
      }),
    ]);
    const checks = claims.map((_, at) => ({
      claim: `C3.${at + 1}`,
      outcome: "fails",
      evidence: "no",
    }));
    const turn = claude("EVALUATE", { checks, acknowledged: ["x"], synthesis: "both" });
    const decision = played.decision(turn);
    if (decision.ok) assert(played.and(turn));
  });
});
