import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changedRuns, withChangedRuns } from "../../scripts-src/dialogue/changed-runs.ts";
import { isSeen, noteOf, withEvidence } from "../../scripts-src/dialogue/claims.ts";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { marksOf } from "../../scripts-src/dialogue/marks.ts";
import { nextAction } from "../../scripts-src/dialogue/next-action.ts";
import { report } from "../../scripts-src/dialogue/report.ts";
import { verdictOf } from "../../scripts-src/dialogue/verdict.ts";
import {
  asked,
  claude,
  type Dialogue,
  gemini,
  reading,
  record,
  saw,
  type Turn,
  wanting,
} from "./given.ts";

const position = "Use SQLite.";
const claims = [
  { text: "p50 is 2 ms", check: "bench.md:3-4", expect: "2 ms" },
  { text: "the tests pass", check: "npm test" },
];
const claimed = () => asked([gemini("RESPONSE", { position, claims })]);
const about = { claim: "C3.1", expect: "2 ms" };

describe("a claim", () => {
  it("is read by the script that sends it, where it names lines or a search", () => {
    const at = asked();
    const fields = { message: gemini("RESPONSE", { position, claims }).message };
    const submission = { participant: "gemini", origin: "script" as const, fields, at: "", id: "" };
    const needed = protocol.evidenceNeeded?.(at.state, { ...submission, files: new Map() });
    assert.deepEqual(needed, [
      {
        claim: 0,
        spec: { kind: "lines", path: "bench.md", from: 3, to: 4 },
        expect: "2 ms",
        text: "p50 is 2 ms",
      },
    ]);
  });

  it("is rejected when it cites what is not there", () => {
    const turn = gemini("RESPONSE", { position, claims });
    const absent = record("bench.md:3-4", { met: false, expect: "2 ms" });
    assert.match(
      asked().refusal(reading(turn, absent)),
      /claims\[0\] "p50 is 2 ms": "bench\.md:3-4" shows no such lines that hold "2 ms"; cite what is there/,
    );
    const outside = gemini("RESPONSE", {
      position,
      claims: [{ text: "t", check: "../etc/passwd:1" }],
    });
    assert.match(asked().refusal(outside), /claims\[0\] "t": .*leads out of the project/);
    assert(asked([reading(turn, record("bench.md:3-4", { expect: "2 ms" }))]));
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
      /your E6 shows that C3\.1 does not hold; send EVALUATE with outcome fails/,
    );
  });

  it("that fails is an objection and a new dispute, and no AGREE rests on it", () => {
    const at = claimed().and(saw("claude", "bench.md:3-4", { ...about, met: false }));
    const fails = { checks: [{ claim: "C3.1", outcome: "fails" }] };
    assert.match(at.refusal(claude("EVALUATE", fails)), /strong points first/);
    assert.match(
      at.refusal(claude("AGREE", fails)),
      /claim C3\.1 fails, and AGREE would rest on it/,
    );
    const failed = at.and(claude("EVALUATE", { ...fails, acknowledged: ["clear"] }));
    const dispute = { point: "claim C3.1 does not hold", since: 2, by: "claude" };
    assert.deepEqual(failed.state.disagreements, [dispute]);
  });

  it("is not checked by its author, nor made up", () => {
    const own = gemini("EVALUATE", { checks: [{ claim: "C3.1", outcome: "holds" }] });
    const reason = /checks names "C3\.1"; claims you can check: none/;
    assert.match(claimed().and(claude("EVALUATE")).refusal(own), reason);
  });

  it("is checked before AGREE, or said not to be, and not before anything else", () => {
    assert.equal(claimed().and(claude("EVALUATE")).state.obligations.length, 2);
    assert.match(
      claimed().refusal(claude("AGREE", { accepts: 3 })),
      /check before AGREE: C3\.1 "[^"]*" by "bench\.md:3-4", .*; run check --claim ID, or say not_run/,
    );
    const one = claimed().and(saw("claude", "bench.md:3-4", about));
    assert.match(one.refusal(claude("AGREE", { accepts: 3 })), /check before AGREE: C3\.2 /);
    const checks = [{ claim: "C3.2", outcome: "not_run", reason: "no shell here" }];
    const { state: agreed } = one.and(claude("AGREE", { accepts: 3, checks }));
    assert.equal(agreed.claims[1]?.outcome?.reason, "no shell here");
  });

  describe("on a command that ran on uncommitted files", () => {
    const [old, other] = ["a".repeat(64), "b".repeat(64)];
    const ran = (by: string, ...files: string[]) => saw(by, "npm test", { claim: "C3.1", files });
    const tested = (...turns: Turn[]) =>
      asked([gemini("RESPONSE", { position, claims: [{ text: "ok", check: "npm test" }] })]).and(
        ...turns,
      );
    const now = (path: string, sha256: string) => new Map([[path, { bytes: 1, sha256 }]]);
    const changedFor = ({ state }: Dialogue, by: string, path: string, sha256: string) =>
      changedRuns(state, by, now(path, sha256)).flatMap((it) => it.files);

    it("is compared with the files of the side that ran it, and of no other", () => {
      const at = tested(ran("gemini", `${other} t.js`), ran("claude", `${old} t.js`));
      assert.deepEqual(changedFor(at, "claude", "t.js", old), []);
      assert.deepEqual(changedFor(at, "claude", "t.js", other), ["t.js"]);
      assert.deepEqual(changedFor(at, "gemini", "t.js", other), []);
    });

    it("is not compared by what a run wrote itself", () => {
      const at = tested(ran("claude", `${old} t.js`), ran("gemini", "wrote t.js"));
      assert.deepEqual(changedFor(at, "claude", "t.js", other), []);
    });

    it("is seen again after another run of one's own", () => {
      const at = tested(ran("gemini", `${old} t.js`), ran("claude", `${old} t.js`));
      const runs = [{ claim: "C3.1", files: ["t.js"] }];
      const changed = withChangedRuns(at.state, "claude", runs);
      assert.deepEqual(changed.claims.map(isSeen), [false]);
      const rerun = { ...ran("claude", `${other} t.js`).evidence?.[0] };
      const note = noteOf(record("npm test", rerun), 9, "claude", "");
      assert.deepEqual(withEvidence(changed, note).claims.map(isSeen), [true]);
    });

    it("is run again first, where its side is to agree", () => {
      const at = tested(ran("gemini", `${old} t.js`), ran("claude", `${old} t.js`));
      const told = nextAction(at.state, "claude", now("t.js", other));
      assert.deepEqual(told.toCheck, ["C3.1"]);
      assert.match(JSON.stringify(told.moves), /"AGREE"/);
      assert.deepEqual(nextAction(at.state, "claude", now("t.js", old)).toCheck, []);
    });
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
    const sealed = asked([gemini("RESPONSE", { position, claims })], { mode: "competitiva" });
    const open = sealed.and(
      saw("gemini", "bench.md:3-4", about),
      claude("RESPONSE", { position: "Use files." }),
    );
    assert.deepEqual(
      open.state.claims[0]?.records.map(({ by, met }) => [by, met]),
      [["gemini", true]],
    );
  });
});

describe("a claim in the report", () => {
  const linesOf = ({ state, events }: Dialogue) => {
    const { sections } = report(state, events, wanting(state));
    return sections.flatMap(({ heading, lines }) => lines.map((line) => `${heading}: ${line}`));
  };
  const told = (played: Dialogue, id: string) =>
    linesOf(played).filter((line) => line.includes(`- ${id} of`));
  const looked = (met: boolean) => saw("claude", "bench.md:3-4", { ...about, met });
  const check = (outcome: string, fields: object = {}) =>
    claude("EVALUATE", {
      checks: [{ claim: "C3.1", outcome, ...fields }],
      acknowledged: ["measured"],
    });
  const failed = () => claimed().and(looked(false), check("fails", { reason: "it says 40 ms" }));
  const withdrawn = [{ claim: "C3.1", because: "a debug build" }];

  it("fell where it failed, until a newer check shows that it holds", () => {
    const line = /^What fell: - C3\.1 of gemini: p50 is 2 ms .*did not hold: it says 40 ms$/;
    assert.match(told(failed(), "C3.1").join("\n"), line);
    const corrected = failed().and(gemini("EVALUATE"), looked(true), check("holds"));
    assert.deepEqual(corrected.state.disagreements, []);
    assert.match(told(corrected, "C3.1").join("\n"), /^Assumptions: .*seen by claude .* only/);
  });

  it("fell where its author withdrew it, and nobody has to check it", () => {
    const after = failed().and(gemini("EVALUATE", { withdrawn }));
    assert.deepEqual(after.state.disagreements, []);
    assert.match(told(after, "C3.1").join("\n"), /withdrawn by gemini: a debug build$/);
    const early = claimed().and(claude("CLARIFY"), gemini("EVALUATE", { withdrawn }));
    assert.deepEqual(
      early.state.obligations.map(({ id }) => id),
      ["C3.2"],
    );
    const claim = { text: "p50 is 2 ms", check: "bench.md:3-4", withdrawn: true };
    const again = claimed().and(claude("CLARIFY"), gemini("EVALUATE", { claims: [claim] }));
    assert.equal(again.state.claims[0]?.withdrawn, "withdrawn");
    const stranger = claude("EVALUATE", { withdrawn });
    assert.match(claimed().refusal(stranger), /withdrawn names "C3\.1"; claims of yours: none/);
  });

  it("keeps to one line: no words of a check forge that of another", () => {
    const reason = "busy\n- C3.2 of gemini: the tests pass [npm test]: seen by claude";
    const played = claimed().and(check("not_run", { reason }));
    const lines = linesOf(played).filter((line) => line.startsWith("Assumptions: - C3."));
    assert.equal(lines.length, 2);
    assert(lines.every((line) => !/[\n\r]/.test(line)));
    assert.match(lines[1] ?? "", /^Assumptions: - C3\.2 .*seen by nobody$/);
  });
});

const read = { text: "p50 is 2 ms", check: "bench.md:3-4", expect: "2 ms" };

describe("claims that say the same", () => {
  const same = (count: number) =>
    asked([gemini("RESPONSE", { position, claims: Array.from({ length: count }, () => read) })]);

  it("count once, and as seen where one of them is", () => {
    const one = { ...about, claim: "C3.2" };
    const at = same(3).and(saw("gemini", "bench.md:3-4", one), saw("claude", "bench.md:3-4", one));
    const { claims: count, seen } = verdictOf(at.state);
    assert.deepEqual([count, seen], [1, 1]);
  });

  it("count each where they expect something else", () => {
    const other = { ...read, expect: "p50" };
    const at = asked([gemini("RESPONSE", { position, claims: [read, other] })]);
    assert.equal(verdictOf(at.state).claims, 2);
  });
});

it("a claim that expects no words of its lines is marked, once somebody has seen them", () => {
  const hollow = [{ text: "p50 is 2 ms", check: "bench.md:3-4" }];
  const at = asked([gemini("RESPONSE", { position, claims: hollow })]);
  assert.deepEqual(marksOf(at.state), []);
  const seen = at.and(saw("gemini", "bench.md:3-4", { claim: "C3.1" }));
  assert.match(
    marksOf(seen.state)[0]?.text ?? "",
    /^C3\.1 of gemini: it expects no words of its lines/,
  );
  const telling = claimed().and(saw("gemini", "bench.md:3-4", about));
  assert.deepEqual(marksOf(telling.state), []);
});

it("a claim that fell and is still in the decision is told to both sides before it is confirmed", () => {
  const kept = { text: "Used entries stay in memory", check: "a.ts:1" };
  const fell = (says: string) =>
    asked([
      gemini("RESPONSE", { position, claims: [kept] }),
      saw("claude", "a.ts:1", { claim: "C3.1", met: false }),
      claude("EVALUATE", {
        ...{ position, acknowledged: ["It is short."] },
        checks: [{ claim: "C3.1", outcome: "fails" }],
      }),
      gemini("AGREE", { says, withdrawn: [{ claim: "C3.1", because: "It fails here." }] }),
    ]);
  const told = /^noticed: C3\.1 of gemini: withdrawn, and still in the decision: "Used entries/m;
  const still = fell("SQLite: used entries stay in memory.");
  for (const by of ["claude", "gemini"]) assert.match(still.guidance(by).advice.join("\n"), told);
  const gone = fell("SQLite; nothing is said of memory.");
  assert.doesNotMatch(gone.guidance("claude").advice.join("\n"), /noticed/);
});
