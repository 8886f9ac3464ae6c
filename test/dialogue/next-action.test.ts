import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { scripted } from "../consult/scripted-line.ts";
import { asked, byHand, claude, type Dialogue, dialogue, draftIn, gemini, raw } from "./given.ts";
import { draft, projectMaker } from "./project.ts";

const makeProject = projectMaker();

describe("a draft sent as it was printed", () => {
  const objects = { objections: [{ point: "p", because: "b" }], acknowledged: ["a"] };
  const only = () => claude("EVALUATE", objects);
  const asks = () => gemini("CLARIFY");
  const flagged = () => asked([gemini("RESPONSE"), only(), asks(), only(), asks(), only(), asks()]);
  const agreed = { says: "Files.", confidence: 0.9 };
  const drafts: [what: string, played: () => Dialogue, by: string, blanks: string[]][] = [
    ["REQUEST", () => dialogue(), "claude", ['references[0] ("path/to/file")']],
    ["RESPONSE", () => asked(), "gemini", []],
    ["sealed", () => asked([], { mode: "competitiva" }), "gemini", []],
    [
      "answers",
      () => asked([gemini("RESPONSE", { asks: ["Why?"] })]),
      "claude",
      ['answers[0].answer ("...")'],
    ],
    [
      "checks",
      () => asked([gemini("RESPONSE", { claims: [{ text: "t", check: "ls" }] })]),
      "claude",
      ['checks[0].outcome ("holds|fails")', 'checks[0].evidence ("...")'],
    ],
    [
      "hypotheses",
      () =>
        asked([
          gemini("EVALUATE", {
            objections: [{ point: "p", because: "b", about: "fact" }],
            acknowledged: ["a"],
          }),
        ]),
      "claude",
      ['hypotheses[0].tool ("...")', 'hypotheses[0].outcome ("confirmed|refuted")'],
    ],
    ["synthesis", () => asked([gemini("EVALUATE", objects)]), "claude", ['synthesis ("...")']],
    ["self_check", flagged, "claude", ['self_check ("...")']],
    [
      "AGREE|EVALUATE",
      () =>
        asked([gemini("RESPONSE"), claude("AGREE", agreed), gemini("EVALUATE"), claude("AGREE")]),
      "gemini",
      ['type ("AGREE|EVALUATE")'],
    ],
    ["CONSENSUS", () => asked([gemini("AGREE", agreed), claude("AGREE", agreed)]), "gemini", []],
  ];
  for (const [what, played, by, blanks] of drafts) {
    it(`is refused with a line that names the fields: ${what}`, () => {
      const at = played();
      const turn = raw(by, draftIn(at.guidance(by)));
      const reason = at.refusal(turn);
      assert.match(reason, /^the draft is not filled in: /);
      for (const blank of ['question_or_proposal.content ("...")', ...blanks])
        assert(reason.includes(blank), `${blank} is not in ${reason}`);
    });
  }

  it("is a colleague's own affair where it works by hand, and so are other fields", () => {
    const message: JsonObject = { type: "RESPONSE", question_or_proposal: { content: "..." } };
    assert(asked().decision(byHand(raw("gemini", message))).ok);
    const dots = { acknowledged: ["..."], tried_and_discarded: [{ approach: "...", reason: "x" }] };
    assert(asked().decision(gemini("RESPONSE", dots)).ok);
    assert(asked().decision(gemini("RESPONSE", { says: "... and so on" })).ok);
  });
});

describe("what consensus still needs", () => {
  const needs = (played: Dialogue, by: string) =>
    played.guidance(by).advice.filter((line) => line.startsWith("Consensus needs"));

  it("is said of both sides, also of an AGREE that is not sure enough", () => {
    const unsure = asked([gemini("AGREE", { confidence: 0.8 })]);
    assert.deepEqual(needs(unsure, "claude"), ["Consensus needs: AGREE >= 0.85 of you and gemini"]);
    const waited = unsure.and(claude("AGREE"));
    assert.deepEqual(needs(waited, "gemini"), ["Consensus needs: AGREE >= 0.85 of you"]);
    assert.equal(draftIn(waited.guidance("gemini"))["type"], "AGREE|EVALUATE");
    assert.equal(draftIn(unsure.guidance("claude"))["type"], "EVALUATE");
  });

  it("is told to whoever sends such an AGREE, and names are not mixed up", () => {
    const project = makeProject();
    const who = ["--participant", "ann", "--participant", "anna"];
    project.run("init", ["--topic", "Files?", "--session", "talk", ...who]);
    project.say("talk", "ann", draft("REQUEST", "Files?"));
    const { code, stdout } = project.send(
      "talk",
      "anna",
      draft("AGREE", "Yes.", { confidence: 0.8 }),
    );
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^appended seq 3: message_sent\nnote: this AGREE does not count yet: confidence 0\.8 is below 0\.85\nphase/,
    );
    assert.match(
      project.next("talk", "ann").stdout,
      /^To agree: type AGREE, accepts: 3, no position;/m,
    );
    const sure = project.send("talk", "ann", draft("AGREE", "Yes.", { confidence: 0.9 }));
    assert.doesNotMatch(sure.stdout, /note:/);
  });
});

describe("in parallelo", () => {
  it("whoever waits may write, with a draft of its own", () => {
    const waits = asked([], { mode: "parallelo" });
    const guidance = waits.guidance("claude");
    assert.equal(guidance.turn, "theirs");
    assert.match(guidance.advice.join("\n"), /^You may write now, or wait for gemini\.$/m);
    const filled = { ...draftIn(guidance), question_or_proposal: { content: "One thing more." } };
    assert(waits.decision(raw("claude", filled)).ok);
    assert.deepEqual(asked().guidance("claude").moves, []);
  });
});

describe("a session's end", () => {
  const project = makeProject();
  const any = (by: string) =>
    project.run("wait-for-turn", ["--participant", by, "--timeout", "0.2"]);

  it("has one round in all that is printed, and names who wrote the solution", () => {
    project.open("talk");
    project.say("talk", "claude", draft("REQUEST", "Files?"));
    project.say("talk", "gemini", draft("AGREE", "Files.", { confidence: 0.9 }));
    project.say("talk", "claude", draft("AGREE", "Yes.", { confidence: 0.9 }));
    const report = project.run("report", ["--session", "talk"]).stdout;
    const [, rounds] = /^- (\d+) rounds? of at most 10, 3 messages/m.exec(report) ?? [];
    const told = [project.next("talk", "claude").stdout, project.run("status", ["--all"]).stdout];
    for (const text of told) assert.equal(/round (\d+) of/.exec(text)?.[1], rounds, text);
    assert.match(
      report,
      /^- message 3, gemini AGREE \(0\.9\), position: Files it is\.\n\n> Files\.$/m,
    );
    assert.match(report, /^- replay every rule over it: node \S+validate\.cjs --session talk$/m);
    const solution = project.read("artifacts", "talk", "merged-solution.md");
    assert.match(
      solution,
      /^Session talk, message 4, text of message 3 by gemini, confirmed by claude\.$/m,
    );
  });

  it("is told at once to whoever waits and has not read it, and once", () => {
    const { code, stdout } = any("gemini");
    assert.equal(code, 0);
    assert.match(stdout, /^ready: session talk has ended \(consensus\)\nsession talk: ENDED\n/);
    assert.equal(any("gemini").code, 1);
    // Its own words tell claude that it ended.
    assert.equal(any("claude").code, 1);
  });

  it("is not told of what consult has run", () => {
    const at = makeProject();
    const both = `claude=${scripted()},gemini=${scripted()}`;
    const ran = at.run("consult", ["--participants", both, "SQLite or files?"]);
    assert.equal(ran.code, 0, ran.stderr);
    for (const by of ["claude", "gemini"]) {
      const waited = at.run("wait-for-turn", ["--participant", by, "--timeout", "0.2"]);
      assert.equal(waited.code, 1, waited.stdout);
    }
  });

  it("is not waited for under a name that no open session has", () => {
    project.open("listen");
    const { code, stderr } = any("codex");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^no open session of codex in \S+: waiting for one\ntimeout: no open session has a participant codex; open: listen \(claude, gemini\)\n/,
    );
    project.run("wait-for-turn", ["--participant", "gemini", "--timeout", "0.2"]);
  });
});

describe("a topic that is open already", () => {
  it("is named to whoever opens it again, with the line that joins it", () => {
    const project = makeProject();
    const init = (...names: string[]) => {
      const who = names.flatMap((name) => ["--participant", name]);
      return project.run("init", ["--topic", "SQLite or files?", ...who]).stderr;
    };
    assert.equal(init("claude", "gemini"), "");
    assert.match(
      init("gemini", "claude"),
      /^note: sqlite-or-files has the same topic and is open; to join it: node \S+next-action\.cjs --session sqlite-or-files --participant gemini\n$/,
    );
    assert.equal(init("ada", "bob"), "");
  });
});

describe("a journal", () => {
  it("is printed without a session too", () => {
    const project = makeProject();
    project.open("talk");
    const journal = (...args: string[]) =>
      project.run("journal", ["--participant", "claude", ...args]);
    assert.equal(journal("--colleague", "gemini").stdout, "no notes about gemini yet\n");
    assert.equal(journal("--session", "talk", "--positive", "quick").code, 0);
    assert.match(journal("--colleague", "gemini").stdout, /## talk\n[\s\S]*- positive: quick/);
    assert.match(
      journal().stderr,
      /give --colleague NAME to print all about that peer, or --session ID/,
    );
    assert.match(journal("--notes", "x").stderr, /notes are about a session: give --session ID/);
  });
});

describe("a file that is not there", () => {
  it("is said once, with what to do", () => {
    const project = makeProject();
    project.open("talk");
    const args = ["--session", "talk", "--participant", "claude", "--message", "none.json"];
    assert.equal(
      project.run("append-event", args).stderr,
      "error: cannot read none.json: there is no such file; check the path, or write the text there first\n",
    );
  });
});
