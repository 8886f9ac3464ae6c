import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { scripted } from "../consult/scripted-line.ts";
import {
  asked,
  byHand,
  claude,
  type Dialogue,
  dialogue,
  draftIn,
  files,
  gemini,
  raw,
  sqlite,
  type Turn,
} from "./given.ts";
import { draft, projectMaker } from "./project.ts";

const makeProject = projectMaker();

describe("a form sent as it was printed", () => {
  const objects = { objections: [{ point: "p", because: "b" }], acknowledged: ["a"] };
  const only = () => claude("EVALUATE", { ...objects, position: files });
  const asks = () => gemini("CLARIFY");
  const flagged = () => asked([gemini("RESPONSE"), only(), asks(), only(), asks(), only(), asks()]);
  const here = { position: sqlite };
  const drafts: [what: string, played: () => Dialogue, by: string, blanks: string[]][] = [
    ["REQUEST", () => dialogue(), "claude", ["question_or_proposal.content"]],
    ["RESPONSE", () => asked(), "gemini", ["position", "confidence"]],
    ["sealed", () => asked([], { mode: "competitiva" }), "gemini", ["position"]],
    [
      "answers",
      () => asked([gemini("RESPONSE", { asks: ["Why?"] })]),
      "claude",
      ["answers[0].answer"],
    ],
    ["synthesis", () => asked([gemini("RESPONSE"), only()]), "gemini", ["synthesis"]],
    ["self_check", flagged, "claude", ["self_check"]],
    ["AGREE", () => asked([gemini("RESPONSE"), claude("AGREE")]), "gemini", ["confidence"]],
    ["CONSENSUS", () => asked([byHand(gemini("AGREE")), claude("AGREE", here)]), "claude", []],
  ];
  for (const [what, played, by, blanks] of drafts) {
    it(`is refused with a line that names the fields: ${what}`, () => {
      const at = played();
      const reason = at.refusal(raw(by, draftIn(at.guidance(by))));
      assert.match(reason, /^the draft is not filled in: /);
      for (const blank of ["question_or_proposal.content", ...blanks])
        assert(reason.includes(`${blank} ("`), `${blank} is not in ${reason}`);
    });
  }

  it("is a colleague's own affair where it works by hand, and so are words about forms", () => {
    const message: JsonObject = { type: "RESPONSE", question_or_proposal: { content: "<why>" } };
    assert(asked().decision(byHand(raw("gemini", message))).ok);
    assert(asked().decision(gemini("RESPONSE", { says: "It prints <0..1> there." })).ok);
  });
});

describe("the forms of a turn", () => {
  const typesFor = (played: Dialogue, by: string) =>
    played.guidance(by).moves.map(({ input }) => String(isRecord(input) && input["type"]));
  const command = { text: "tests pass", check: "npm test" };
  const states: [what: string, played: () => Dialogue, by: string, types: string[]][] = [
    ["a first answer", () => asked(), "gemini", ["RESPONSE"]],
    [
      "the first answer of the other side",
      () => asked([gemini("RESPONSE")]),
      "claude",
      ["EVALUATE", "EVALUATE", "AGREE"],
    ],
    [
      "one position of both",
      () => asked([gemini("RESPONSE"), claude("EVALUATE")]),
      "gemini",
      ["AGREE", "EVALUATE", "EVALUATE"],
    ],
    [
      "positions that differ",
      () => asked([gemini("RESPONSE"), claude("EVALUATE", { position: files })]),
      "gemini",
      ["EVALUATE", "AGREE"],
    ],
    [
      "the peer's AGREE",
      () => asked([gemini("RESPONSE"), claude("AGREE")]),
      "gemini",
      ["AGREE", "EVALUATE"],
    ],
    ["a task", () => asked([gemini("TASK_ASSIGN")]), "claude", ["TASK_RESULT", "CLARIFY"]],
    [
      "nothing to answer in parallelo",
      () => asked([gemini("RESPONSE")], { mode: "parallelo" }),
      "gemini",
      ["CLARIFY"],
    ],
  ];
  for (const [what, played, by, types] of states) {
    it(`are those that may be sent: ${what}`, () => {
      assert.deepEqual(typesFor(played(), by), types);
    });
  }

  const claims = [{ text: "2 ms", check: "npm test" }];
  const fact = { point: "it is slow", because: "no", about: "fact" };
  const disputes = { acknowledged: ["x"], objections: [fact] };
  const opposed = () => asked([gemini("RESPONSE"), claude("EVALUATE", { position: files })]);
  const due: [name: string, at: Dialogue, turn: Turn][] = [
    ["a question", asked([gemini("RESPONSE", { asks: ["Which?"] })]), claude("EVALUATE")],
    ["positions that differ", opposed(), gemini("EVALUATE")],
    ["a claim", asked([gemini("RESPONSE", { claims })]), claude("AGREE")],
    ["a disputed fact", asked([gemini("RESPONSE", disputes)]), claude("AGREE")],
  ];
  for (const [name, at, turn] of due)
    it(`tell of ${name} in the words of the rejection`, () => {
      const { obligations, todo = [] } = at.guidance(turn.by);
      const [line = "nothing is told"] = [...obligations, ...todo];
      assert(at.refusal(turn).includes(line), `${line}: ${at.refusal(turn)}`);
    });

  it("are those that PROTOCOL.md shows, each in some state", () => {
    const [, block = ""] =
      /```json\n([\s\S]*?)```/.exec(readFileSync(".consulta/PROTOCOL.md", "utf8")) ?? [];
    const opposed = asked([gemini("RESPONSE"), claude("EVALUATE", { position: files })]);
    const played: [Dialogue, string][] = [
      [dialogue(), "claude"],
      [asked(), "gemini"],
      [asked([gemini("RESPONSE")]), "claude"],
      [opposed, "gemini"],
      [asked([gemini("TASK_ASSIGN")]), "claude"],
    ];
    const printed = played.flatMap(([at, by]) => at.guidance(by).moves.map(({ input }) => input));
    const lines = new Set(printed.map((input) => JSON.stringify(input)));
    assert.deepEqual(
      block
        .trim()
        .split("\n")
        .filter((line) => !lines.has(line)),
      [],
    );
  });

  it("name not_run where only the user can allow a check, which is not asked for again", () => {
    const claimed = asked([gemini("RESPONSE", { claims: [command] })]);
    const form = JSON.stringify(draftIn(claimed.guidance("claude")));
    assert.match(
      form,
      /"checks":\[\{"claim":"C3\.1","outcome":"<not_run\|holds\|fails>","reason":/,
    );
    const checks = [{ claim: "C3.1", outcome: "not_run", reason: "the user has not allowed it" }];
    const told = claimed.and(claude("EVALUATE", { checks }), gemini("EVALUATE"));
    const { todo, moves, toCheck } = told.guidance("claude");
    assert.doesNotMatch(JSON.stringify([todo, moves, toCheck]), /C3\.1/);
  });

  it("answer what was asked in running text, with its words beside its id", () => {
    const asking = asked([gemini("RESPONSE", { says: "Files. What do you think of locks?" })]);
    const { todo } = asking.guidance("claude");
    assert.match(
      JSON.stringify(todo),
      /asked in running text, for answers: P3\.1 .*What do you think of locks/,
    );
    assert.match(JSON.stringify(draftIn(asking.guidance("claude"))), /"question":"P3\.1"/);
  });

  it("take a number in quotes, where its blank stood between them", () => {
    const stands = { position: sqlite, confidence: "0.9" };
    assert(asked().decision(gemini("RESPONSE", stands)).ok);
    assert(!asked().decision(gemini("RESPONSE", { ...stands, confidence: "much" })).ok);
  });
});

describe("what consensus still needs", () => {
  it("is said to the side whose AGREE is not sure enough", () => {
    const needs = (played: Dialogue, by: string) =>
      played.guidance(by).advice.filter((line) => line.startsWith("AGREE counts from"));
    const unsure = asked([gemini("RESPONSE"), claude("AGREE", { confidence: 0.8 })]);
    assert.deepEqual(needs(unsure, "gemini"), ["AGREE counts from confidence 0.85"]);
    const waited = unsure.and(gemini("AGREE"));
    assert.deepEqual(needs(waited, "claude"), ["AGREE counts from confidence 0.85"]);
    assert.deepEqual(needs(unsure.and(gemini("AGREE"), claude("AGREE")), "claude"), []);
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
    assert.match(project.next("talk", "ann").stdout, /"type":"AGREE".*"accepts":3/);
    const sure = project.send("talk", "ann", draft("AGREE", "Yes.", { confidence: 0.9 }));
    assert.doesNotMatch(sure.stdout, /note:/);
  });
});

describe("in parallelo", () => {
  it("whoever waits may write, with a draft of its own", () => {
    const waits = asked([], { mode: "parallelo" });
    const guidance = waits.guidance("claude");
    assert.equal(guidance.turn, "theirs");
    assert.match(guidance.advice.join("\n"), /^You may write now, or wait for your peer\.$/m);
    const content = { question_or_proposal: { content: "One thing more." } };
    assert(waits.decision(raw("claude", { ...draftIn(guidance), ...content })).ok);
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
      /^no open session of codex in \S+: waiting for one; open: listen \(claude, gemini\)\ntimeout: codex has no turn yet after 0\.2 s\n/,
    );
    project.run("wait-for-turn", ["--participant", "gemini", "--timeout", "0.2"]);
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
