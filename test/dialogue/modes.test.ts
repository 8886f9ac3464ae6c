import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { evolve } from "../../scripts-src/dialogue/fold.ts";
import { initialState } from "../../scripts-src/dialogue/state.ts";
import {
  asked,
  byHand,
  claude,
  type Dialogue,
  dialogue,
  draftIn,
  gemini,
  reading,
  reasonsOf,
  record,
  saw,
  sqlite,
  type Turn,
} from "./given.ts";

/** The state before each event, the event, and the state after it. */
function steps({ events }: Dialogue) {
  let state = initialState();
  return events.map((event) => {
    const before = state;
    state = evolve(before, event);
    return { before, event, after: state };
  });
}

/** What lies in the inboxes after each event: the deliveries that are open, with their texts. */
function letters(played: Dialogue) {
  return steps(played).flatMap(({ after }) =>
    after.participants
      .flatMap((name) => protocol.mail?.pending(after, name) ?? [])
      .map((delivery) => {
        const event = played.events.find(({ seq }) => seq === delivery.seq);
        assert(event, `no event ${delivery.seq}`);
        return { delivery, text: protocol.mail?.letter(after, delivery, event) ?? "" };
      }),
  );
}

/** The files that this dialogue's events put into inboxes, as `to/file`. */
function delivered(played: Dialogue): string[] {
  return [...new Set(letters(played).map(({ delivery }) => `${delivery.to}/${delivery.file}`))];
}

describe("rapida", () => {
  it("has strict turns and takes agreement from the first answer", () => {
    const played = dialogue([claude("REQUEST", { position: sqlite }), gemini("AGREE")]);
    assert.deepEqual(played.state.turn, ["claude"]);
    assert.match(played.refusal(gemini("EVALUATE")), /it is the turn of claude, not of gemini/);
    assert.equal(played.and(claude("AGREE")).state.phase, "consensus");
  });
});

describe("profondo", () => {
  const mode = "profondo" as const;

  it("refuses AGREE in round 1", () => {
    const first = dialogue([claude("REQUEST", { position: sqlite })], { mode });
    const looked = first.and(saw("gemini", "a.ts:1"));
    assert.match(looked.refusal(gemini("AGREE")), /deep: nobody may AGREE in round 1; send EV/);
  });

  const second = (...turns: Turn[]) => asked([gemini("RESPONSE"), ...turns], { mode });

  it("refuses AGREE of one who checked nothing", () => {
    const reason = /deep: AGREE needs evidence of your own; run check/;
    assert.match(second().refusal(claude("AGREE")), reason);
    assert.match(second(saw("gemini", "a.ts:1")).refusal(claude("AGREE")), reason);
  });

  it("takes evidence made earlier, of a claim or of something of one's own", () => {
    const looked = second(saw("claude", "a.ts:1"), claude("EVALUATE"), saw("gemini", "b.ts:1"));
    const agreed = looked.and(gemini("AGREE"), claude("AGREE"));
    assert.equal(agreed.state.phase, "consensus");
    const claims = [{ text: "fast", check: "bench.md:3" }];
    const claimed = asked([gemini("RESPONSE", { claims })], { mode });
    assert(claimed.and(saw("claude", "bench.md:3", { claim: "C3.1" }), claude("AGREE")));
  });

  it("takes the evidence that the AGREE brings with a claim of its own", () => {
    const claims = [{ text: "fast", check: "bench.md:3" }];
    const agree = gemini("AGREE", { claims });
    const later = second(claude("EVALUATE"));
    assert(later.and(reading(agree, record("bench.md:3"))));
  });

  it("says so in next-action", () => {
    const told = (...turns: Turn[]) => asked(turns, { mode }).guidance("gemini");
    const first = told();
    assert.match(first.advice.join("\n"), /no AGREE in round 1, nor without evidence of your own/);
    assert.doesNotMatch(JSON.stringify(first.moves), /AGREE/);
    const later = told(gemini("RESPONSE"), claude("EVALUATE"));
    assert.match(JSON.stringify(later.moves), /"type":"AGREE"/);
    assert.deepEqual(later.toCheck, [""]);
  });
});

describe("parallelo", () => {
  const mode = "parallelo" as const;

  it("ends a round when both have written", () => {
    const one = asked([claude("CLARIFY"), claude("CLARIFY")], { mode });
    assert.equal(one.state.round, 1);
    assert.equal(one.state.budget, 5);
    const both = one.and(gemini("CLARIFY"));
    assert.equal(both.state.budget, 4);
    assert.equal(both.and(gemini("EVALUATE")).state.round, 2);
  });

  it("calls who has not written in this round or has something to answer, nobody else", () => {
    const played = asked([], { mode });
    assert.deepEqual(played.state.turn, ["gemini"]);
    const answered = played.and(gemini("RESPONSE"));
    assert.deepEqual(answered.state.turn, ["claude"]);
    assert.deepEqual(answered.and(gemini("EVALUATE")).state.turn, ["claude"]);
  });

  it("is closed by the second AGREE, of whichever side", () => {
    const played = asked([claude("RESPONSE"), gemini("RESPONSE"), claude("AGREE")], { mode });
    assert.equal(played.and(gemini("AGREE")).state.phase, "consensus");
  });

  it("lets us close with a colleague by hand, once both agree", () => {
    const turns = [byHand(gemini("AGREE")), claude("AGREE", { position: sqlite })];
    const played = asked(turns, { mode });
    assert.deepEqual(played.state.turn, ["claude"]);
    assert.match(played.refusal(gemini("EVALUATE")), /it is the turn of claude/);
    for (const closer of [claude("CONSENSUS"), byHand(gemini("CONSENSUS"))])
      assert.equal(played.and(closer).state.phase, "consensus");
  });

  it("shows every unanswered message, the newest ones first named, the rest counted", () => {
    const turns = Array.from({ length: 20 }, () => claude("RESPONSE"));
    const { received, receivedEarlier } = asked(turns, { mode }).guidance("gemini");
    assert.equal(received.length, 16);
    assert.equal(receivedEarlier, 5);
    assert.deepEqual(
      received.map(({ seq }) => seq),
      Array.from({ length: 16 }, (_, at) => at + 7),
    );
  });
});

describe("competitiva", () => {
  const mode = "competitiva" as const;
  const secret = "Secret position of ";
  const states = (by: typeof claude) => by("RESPONSE", { position: secret + by.name });
  const first = () => asked([states(gemini)], { mode });
  const both = () => first().and(states(claude));
  const visible = (played: Dialogue) =>
    JSON.stringify([
      ["claude", "gemini"].map(played.guidance),
      protocol.standing(played.state),
      steps(played).flatMap(({ event, after }) => protocol.views(after, event)),
      letters(played),
      played.events,
    ]);

  it("asks both for a position at once", () => {
    const { state, guidance } = asked([], { mode });
    assert.equal(state.phase, "sealing");
    assert.deepEqual(state.turn, ["claude", "gemini"]);
    for (const name of state.turn) {
      assert.equal(guidance(name).turn, "yours");
      assert.equal(draftIn(guidance(name))["type"], "RESPONSE");
      assert.match(guidance(name).moves[0]?.purpose ?? "", /state your position blind/);
    }
  });

  it("takes nothing but a RESPONSE as a position", () => {
    const reason = /state your position blind first: send type RESPONSE, not/;
    for (const type of ["AGREE", "EVALUATE", "CLARIFY", "CONSENSUS"] as const)
      assert.match(asked([], { mode }).refusal(gemini(type)), reason);
  });

  it("shows one position nowhere before the other is in", () => {
    assert(!visible(first()).includes(secret));
    assert(!visible(first()).includes('"confidence":0.7'));
    assert.equal(delivered(first()).length, 1);
    assert.equal(first().guidance("gemini").turn, "theirs");
    assert.match(first().guidance("gemini").advice.join(), /Your position is sealed/);
    assert.match(first().refusal(gemini("RESPONSE")), /it is the turn of your peer/);
  });

  it("opens both when both are in, and goes on in turns", () => {
    const { state, guidance } = both();
    assert.equal(state.phase, "talking");
    assert.deepEqual(delivered(both()).slice(1), [
      "claude/auth-20260422T143514Z-gemini-response.json",
      "gemini/auth-20260422T143521Z-claude-response.json",
    ]);
    assert(visible(both()).includes(`${secret}claude`));
    assert(visible(both()).includes(`${secret}gemini`));
    assert.deepEqual(
      guidance("claude").received.map(({ from }) => from),
      ["gemini"],
    );
    assert.equal(state.turn.length, 1);
    assert.equal(state.sides["gemini"]?.sealed, "");
  });

  it("gives each position an id of its own", () => {
    const { state } = asked([], { mode });
    const inSameSecond = (before: typeof state, { by, message }: Turn) => {
      const submission = {
        participant: by,
        origin: "script" as const,
        fields: { message },
        id: `e-${by}`,
      };
      const at = "2026-04-22T15:00:00.000Z";
      const decision = protocol.decide(before, { ...submission, at, files: new Map() });
      assert(decision.ok && "event" in decision);
      return decision.event;
    };
    const afterOne = evolve(state, inSameSecond(state, gemini("RESPONSE")));
    assert.deepEqual(protocol.mail?.pending(afterOne, "gemini"), [], "its answer is in");
    const event = inSameSecond(afterOne, claude("RESPONSE"));
    const opened = evolve(afterOne, event);
    const ids = opened.participants
      .flatMap((name) => protocol.mail?.pending(opened, name) ?? [])
      .map((delivery): unknown => {
        const from = delivery.seq === event.seq ? event : inSameSecond(state, gemini("RESPONSE"));
        return JSON.parse(protocol.mail?.letter(opened, delivery, from) ?? "{}").id;
      });
    assert.equal(new Set(ids).size, 2, `both have the id ${ids[0]}`);
  });

  it("ends for the user's question in a position, and nobody has the turn then", () => {
    const turn = gemini("RESPONSE", { needs_user: "Which colour?" });
    const ended = asked([turn, claude("RESPONSE")], { mode });
    assert.deepEqual(reasonsOf(ended), ["user_decision"]);
    assert.deepEqual(ended.state.turn, []);
    assert.equal(protocol.standing(ended.state).waitingFor.length, 0);
  });

  it("takes the position of a colleague that writes by hand", () => {
    const played = asked([byHand(gemini("RESPONSE")), claude("RESPONSE")], { mode });
    assert.equal(played.state.phase, "talking");
    assert.equal(played.state.sides["gemini"]?.sentCount, 1);
  });

  it("reads positions of any letters", () => {
    const position = 'Позиция: файлы 👍 \u2028 "quoted"';
    const played = asked([gemini("RESPONSE", { position }), claude("RESPONSE")], { mode });
    assert.equal(played.state.sides["gemini"]?.position, position);
  });
});

it("the session file says in every mode where the session stands", () => {
  for (const mode of ["rapida", "profondo", "parallelo", "competitiva"] as const) {
    const played = dialogue([], { mode });
    const [step] = steps(played);
    assert(step);
    const views = protocol.views(step.after, step.event);
    assert.deepEqual(
      views.map(({ within, folder, name }) => [within, ...folder, name].join("/")),
      ["workspace/sessions/auth.json", "session/protocol.json"],
    );
    assert.deepEqual(JSON.parse(views[0]?.text ?? ""), {
      session_id: "auth",
      topic: "SQLite or files?",
      initiated_by: "claude",
      started_at: "2026-04-22T14:35:00.250Z",
      state: "IN_PROGRESS",
      current_round: 1,
    });
    assert.equal(JSON.parse(views[1]?.text ?? "").mode, mode);
  }
});
