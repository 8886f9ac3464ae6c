import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { marksOf } from "../../scripts-src/dialogue/marks.ts";
import { verdictOf } from "../../scripts-src/dialogue/verdict.ts";
import { asked, claude, gemini, reading, record, saw } from "./given.ts";

const position = "Use SQLite.";
const claims = [
  { text: "p50 is 2 ms", check: "bench.md:3-4", expect: "2 ms" },
  { text: "the tests pass", check: "npm test" },
];
const two = (...turns: Parameters<typeof asked>[0] & object) => asked(turns, { rulesVersion: 2 });
const claimed = () => two(gemini("RESPONSE", { position, claims }));
const about = { claim: "C3.1", expect: "2 ms" };

describe("a claim", () => {
  it("is read by the script that sends it, where it names lines or a search", () => {
    const at = two();
    const fields = { message: gemini("RESPONSE", { position, claims }).message };
    const submission = { participant: "gemini", origin: "script" as const, fields, at: "", id: "" };
    const needed = protocol.evidenceNeeded?.(at.state, { ...submission, files: new Map() });
    assert.deepEqual(needed, [
      { claim: 0, spec: { kind: "lines", path: "bench.md", from: 3, to: 4 }, expect: "2 ms" },
    ]);
  });

  it("is rejected when it cites what is not there", () => {
    const turn = gemini("RESPONSE", { position, claims });
    const absent = record("bench.md:3-4", { met: false, expect: "2 ms" });
    assert.match(
      two().refusal(reading(turn, absent)),
      /claims\[0\] "p50 is 2 ms": "bench\.md:3-4" shows no such lines that hold "2 ms"; cite what is there/,
    );
    const outside = gemini("RESPONSE", {
      position,
      claims: [{ text: "t", check: "../etc/passwd:1" }],
    });
    assert.match(two().refusal(outside), /claims\[0\] "t": .*leads out of the project/);
    assert(two(reading(turn, record("bench.md:3-4", { expect: "2 ms" }))));
  });

  it("is checked by a record of one's own", () => {
    const check = (fields: object) =>
      claude("EVALUATE", { position, acknowledged: ["x"], checks: [{ claim: "C3.1", ...fields }] });
    const wrong: [fields: object, reason: RegExp][] = [
      [
        { outcome: "holds", evidence: "I ran it" },
        /evidence is "I ran it", expected the id of a record/,
      ],
      [{ outcome: "holds" }, /you have no record of it; run check --claim C3\.1/],
      [{ outcome: "holds", evidence: "E99" }, /E99 is no evidence of this session/],
      [{ outcome: "holds", evidence: "E4" }, /E4 is not yours/],
      [
        { outcome: "holds", evidence: "E5" },
        /E5 is about "other\.md:1", not about "bench\.md:3-4"/,
      ],
      [{ outcome: "not_run" }, /not_run needs a reason/],
    ];
    const at = claimed().and(saw("gemini", "bench.md:3-4", about), saw("claude", "other.md:1"));
    for (const [fields, reason] of wrong) assert.match(at.refusal(check(fields)), reason);
    const seen = at.and(saw("claude", "bench.md:3-4", about));
    assert.match(
      seen.refusal(check({ outcome: "fails" })),
      /fails came, and E6 shows what was expected; add reason/,
    );
    assert.match(
      seen.refusal(check({ outcome: "not_run", reason: "busy" })),
      /your E6 shows that it was run/,
    );
    assert(seen.and(check({ outcome: "holds", evidence: "E6" })));
    const failed = at.and(saw("claude", "bench.md:3-4", { ...about, met: false }));
    assert.match(
      failed.refusal(check({ outcome: "holds" })),
      /holds came, but E6 shows that it fails/,
    );
    assert.match(
      failed.refusal(claude("AGREE", { accepts: 3 })),
      /your E6 shows that C3\.1 does not hold/,
    );
  });

  it("is checked before AGREE, or said not to be", () => {
    assert.match(
      claimed().refusal(claude("AGREE", { accepts: 3 })),
      /claim C3\.1 is unchecked \("bench\.md:3-4"\): run check --claim C3\.1, or add checks/,
    );
    const one = claimed().and(saw("claude", "bench.md:3-4", about));
    assert.match(one.refusal(claude("AGREE", { accepts: 3 })), /claim C3\.2 is unchecked/);
    const checks = [{ claim: "C3.2", outcome: "not_run", reason: "no shell here" }];
    const { trust } = one.and(claude("AGREE", { accepts: 3, checks })).state;
    assert.equal(trust.claims[1]?.outcome?.reason, "no shell here");
  });

  it("that changed since it was seen keeps the session open", () => {
    const sha256 = "b".repeat(64);
    const at = claimed().and(
      saw("gemini", "bench.md:3-4", about),
      saw("claude", "bench.md:3-4", about),
      claude("AGREE", {
        accepts: 3,
        checks: [{ claim: "C3.2", outcome: "not_run", reason: "x1" }],
      }),
    );
    const closes = gemini("AGREE", { accepts: 6 });
    const moved = record("bench.md:3-4", { ...about, sha256 });
    assert.match(
      at.refusal(reading(closes, moved)),
      /C3\.1 rests on "bench\.md:3-4", which has changed/,
    );
    const same = at.and(reading(closes, record("bench.md:3-4", about)));
    assert.equal(same.state.phase, "consensus");
  });
});

describe("evidence", () => {
  it("is refused for what is no claim, or another check than the claim's", () => {
    const at = claimed();
    assert.match(
      at.refusal(saw("claude", "bench.md:3-4", { claim: "C9.1" })),
      /there is no claim C9\.1; there are: C3\.1, C3\.2/,
    );
    assert.match(
      at.refusal(saw("claude", "x.md:1", about)),
      /C3\.1 is checked by bench\.md:3-4, not by x\.md:1/,
    );
    assert.match(at.refusal(saw("claude", "bench.md:3-4", { claim: "C3.1" })), /expects "2 ms"/);
    assert.match(at.refusal(saw("mallory", "x.md:1")), /mallory is not in session|not in session/);
    assert.match(at.and(claude("ESCALATE")).refusal(saw("claude", "x.md:1")), /has ended/);
  });

  it("changes no turn and no round", () => {
    const { state } = claimed();
    const after = claimed().and(saw("gemini", "x.md:1"), saw("claude", "x.md:2")).state;
    assert.deepEqual(
      [after.turn, after.round, after.sentInRound],
      [state.turn, state.round, state.sentInRound],
    );
  });

  it("of a sealed position finds its claim when both are in", () => {
    const sealed = asked([gemini("RESPONSE", { position, claims })], {
      mode: "competitiva",
      rulesVersion: 2,
    });
    const open = sealed.and(
      saw("gemini", "bench.md:3-4", about),
      claude("RESPONSE", { position: "Use files." }),
    );
    assert.deepEqual(
      open.state.trust.claims[0]?.records.map(({ by, met }) => [by, met]),
      [["gemini", true]],
    );
  });
});

const read = { text: "p50 is 2 ms", check: "bench.md:3-4", expect: "2 ms" };

describe("claims that say the same", () => {
  const same = (count: number) =>
    two(gemini("RESPONSE", { position, claims: Array.from({ length: count }, () => read) }));

  it("count once, and as seen where one of them is", () => {
    const one = { ...about, claim: "C3.2" };
    const at = same(3).and(saw("gemini", "bench.md:3-4", one), saw("claude", "bench.md:3-4", one));
    const { claims: count, seen } = verdictOf(at.state);
    assert.deepEqual([count, seen], [1, 1]);
  });

  it("count each where they expect something else", () => {
    const other = { ...read, expect: "p50" };
    const at = two(gemini("RESPONSE", { position, claims: [read, other] }));
    assert.equal(verdictOf(at.state).claims, 2);
  });
});

it("a claim that expects no words of its lines is marked, once somebody has seen them", () => {
  const hollow = [{ text: "p50 is 2 ms", check: "bench.md:3-4" }];
  const at = two(gemini("RESPONSE", { position, claims: hollow }));
  assert.deepEqual(marksOf(at.state), []);
  const seen = at.and(saw("gemini", "bench.md:3-4", { claim: "C3.1" }));
  assert.match(
    marksOf(seen.state)[0]?.text ?? "",
    /^C3\.1 of gemini expects no words of its lines/,
  );
  const telling = claimed().and(saw("gemini", "bench.md:3-4", about));
  assert.deepEqual(marksOf(telling.state), []);
});
