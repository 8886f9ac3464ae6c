import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { evolve, initialState } from "../../scripts-src/dialogue/evolve.ts";
import {
  asked,
  byHand,
  claude,
  type Dialogue,
  dialogue,
  draftIn,
  gemini,
  raw,
  reasonsOf,
  type Turn,
} from "./given.ts";

const gave = { tool: "bench", outcome: "confirmed", claim: "fast", evidence: "2 ms" };

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
      .flatMap((name) => protocol.mail?.unanswered(after, name) ?? [])
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
    const played = asked([gemini("AGREE")]);
    assert.deepEqual(played.state.turn, ["claude"]);
    assert.match(played.refusal(gemini("EVALUATE")), /it is the turn of claude, not of gemini/);
    assert.equal(played.and(claude("AGREE")).state.phase, "agreed");
  });
});

describe("profondo", () => {
  const mode = "profondo" as const;

  it("refuses AGREE in round 1", () => {
    const turn = gemini("AGREE", { hypotheses: [gave] });
    assert.match(asked([], { mode }).refusal(turn), /deep: nobody may AGREE in round 1; send EV/);
  });

  it("refuses AGREE of one who checked nothing", () => {
    const later = asked([gemini("RESPONSE")], { mode });
    const reason = /deep: AGREE needs a check of your own; add hypotheses/;
    assert.match(later.refusal(claude("AGREE")), reason);
    const open = { ...gave, outcome: "open" };
    assert.match(later.refusal(claude("AGREE", { hypotheses: [open] })), reason);
    assert.equal(later.and(claude("AGREE", { hypotheses: [gave] })).state.phase, "talking");
  });

  it("takes a check made earlier, of a hypothesis or of a claim", () => {
    const earlier = asked([gemini("RESPONSE", { hypotheses: [gave] })], { mode });
    const played = earlier.and(claude("AGREE", { hypotheses: [gave] }), gemini("AGREE"));
    assert.equal(played.state.phase, "agreed");
    const claimed = asked([gemini("RESPONSE", { claims: [{ text: "fast", check: "bench" }] })], {
      mode,
    });
    const checks = [{ claim: "C3.1", outcome: "holds", evidence: "2 ms" }];
    assert(claimed.and(claude("AGREE", { checks })));
  });

  it("says so in next-action", () => {
    const advice = (...turns: Turn[]) =>
      asked(turns, { mode }).guidance("gemini").advice.join("\n");
    assert.match(advice(), /think first; no AGREE in round 1, nor without a check of your own/);
    assert.doesNotMatch(advice(), /type: AGREE/);
    const later = advice(gemini("RESPONSE"), claude("EVALUATE"));
    assert.match(later, /think first; no AGREE without a check of your own/);
    assert.match(later, /type: AGREE/);
  });
});

describe("parallelo", () => {
  const mode = "parallelo" as const;

  it("lets both write at any time", () => {
    const played = asked([claude("RESPONSE"), gemini("RESPONSE"), gemini("EVALUATE")], { mode });
    assert.equal(played.messages.length, 4);
    assert.equal(played.guidance("claude").turn, "yours");
  });

  it("ends a round when both have written", () => {
    const one = asked([claude("RESPONSE"), claude("EVALUATE")], { mode });
    assert.equal(one.state.round, 1);
    assert.equal(one.state.budget, 5);
    const both = one.and(gemini("RESPONSE"));
    assert.equal(both.state.budget, 4);
    assert.equal(both.and(gemini("EVALUATE")).state.round, 2);
  });

  it("waits for the one that has not written in this round", () => {
    const played = asked([], { mode });
    assert.deepEqual(played.state.turn, ["gemini"]);
    assert.deepEqual(played.and(gemini("RESPONSE")).state.turn, ["claude", "gemini"]);
  });

  it("keeps the obligations", () => {
    const played = asked([gemini("RESPONSE", { asks: ["Which disk?"] })], { mode });
    assert.match(played.refusal(claude("EVALUATE")), /unanswered: Q3\.1/);
  });

  it("names one to close, once both agree, and lets the other close where that one is silent", () => {
    const played = asked([gemini("AGREE"), claude("AGREE")], { mode });
    assert.deepEqual(played.state.turn, ["gemini"]);
    assert.match(played.refusal(claude("EVALUATE")), /it is the turn of gemini/);
    for (const closer of [claude, gemini]) {
      assert.equal(played.and(closer("CONSENSUS")).state.phase, "consensus");
    }
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
  const first = () => asked([gemini("RESPONSE", { says: `${secret}gemini` })], { mode });
  const both = () => first().and(claude("RESPONSE", { says: `${secret}claude` }));
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
      assert.match(guidance(name).advice.join(), /State your position blind/);
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
    assert.match(first().refusal(gemini("RESPONSE")), /it is the turn of claude/);
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
    assert.equal(state.sides["claude"]?.position, `${secret}claude`);
    assert.equal(state.sides["gemini"]?.sealed, "");
  });

  it("opens them whoever is first", () => {
    const other = asked([claude("RESPONSE"), gemini("RESPONSE")], { mode });
    assert.equal(other.state.phase, "talking");
    assert.equal(other.state.sides["gemini"]?.sentCount, 1);
    assert.equal(other.state.sides["claude"]?.sentCount, 2);
  });

  it("counts the same rounds whoever is first", () => {
    const other = asked([claude("RESPONSE"), gemini("RESPONSE")], { mode }).state;
    const { state } = both();
    assert.deepEqual([other.round, other.budget], [state.round, state.budget]);
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
    const event = inSameSecond(afterOne, claude("RESPONSE"));
    const opened = evolve(afterOne, event);
    const ids = opened.participants
      .flatMap((name) => protocol.mail?.unanswered(opened, name) ?? [])
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

  it("escalates with the positions that are in", () => {
    const ended = first().and(claude("ESCALATE"));
    assert.deepEqual(reasonsOf(ended), ["requested"]);
  });

  it("takes the position of a colleague that writes by hand", () => {
    const played = asked([byHand(gemini("RESPONSE")), claude("RESPONSE")], { mode });
    assert.equal(played.state.phase, "talking");
    assert.equal(played.state.sides["gemini"]?.sentCount, 1);
  });

  it("reads positions of any letters", () => {
    const says = 'Позиция: файлы 👍 \u2028 "quoted"';
    const played = asked([gemini("RESPONSE", { says }), claude("RESPONSE")], { mode });
    assert.equal(played.state.sides["gemini"]?.position, says);
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

it("a session of two refuses a third in every mode", () => {
  for (const mode of ["rapida", "profondo", "parallelo", "competitiva"] as const)
    assert.match(asked([], { mode }).refusal(raw("mallory", {})), /mallory is not in session auth/);
});
