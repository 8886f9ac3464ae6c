import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { draft, type Project, projectMaker } from "../dialogue/project.ts";

const makeProject = projectMaker();

function talk(...options: string[]): Project {
  const project = makeProject();
  project.open("talk", ...options);
  project.say("talk", "claude", draft("REQUEST", "Which?"));
  return project;
}

const logOf = (project: Project) => project.path("sessions/talk/events.jsonl");

const impossible = [
  "2026-13-45T00:00:00Z",
  "2026-02-29T12:00:00.000Z",
  "2026-06-30T23:59:60Z",
  "2026-01-01T24:00:00Z",
];

describe("a time that no calendar has", () => {
  const project = talk();
  const log = readFileSync(logOf(project), "utf8");
  for (const at of [...impossible, "", "soon", "2026-11-22"]) {
    it(`(${at}) is none in the log of a dialogue`, () => {
      writeFileSync(logOf(project), log.replace(/"at":"[^"]*"/, `"at":"${at}"`));
      const ran = project.run("validate", ["--session", "talk"]);
      writeFileSync(logOf(project), log);
      assert.equal(ran.code, 2);
      assert.match(ran.stdout + ran.stderr, /line 1 says ".*" where a time must stand/);
    });
  }

  for (const timestamp of [...impossible, "9999-12-31T23:59:59Z"]) {
    it(`(${timestamp}) is none in mail`, () => {
      const fresh = talk();
      const message = {
        ...draft("RESPONSE", "This."),
        ...{ id: "talk-x", session_id: "talk", timestamp, from: "gemini", to: "claude", round: 1 },
        expects_reply: true,
      };
      const name = "talk-20261122T100000Z-gemini-response.json";
      fresh.put("claude", name, JSON.stringify(message));
      fresh.next("talk", "claude");
      assert.equal(fresh.acts("talk").length, 2, "it was entered");
      const [reason = ""] = fresh.files("errors").filter((it) => it.endsWith(".reason.txt"));
      assert.match(fresh.read("errors", reason), /timestamp is ".*", expected a time/);
    });
  }
});

describe("reply_to in parallelo", () => {
  it("names a message of the peer that is to be answered", () => {
    const project = talk("--mode", "parallelo");
    project.say("talk", "gemini", draft("RESPONSE", "This."));
    const [own = 0, peers = 0] = project
      .acts("talk")
      .slice(-2)
      .map(({ seq }) => Number(seq));
    for (const seq of [99, own, 1, 9_007_199_254_740_991]) {
      const again = { ...draft("EVALUATE", `No, because of ${seq}.`), reply_to: seq };
      const { code, stderr } = project.send("talk", "claude", again);
      assert.equal(code, 2, String(seq));
      assert.match(stderr, new RegExp(`reply_to is ${seq}, which is no message of gemini`));
      assert.match(stderr, new RegExp(`expected one of ${peers}; leave it out`));
    }
    project.say("talk", "claude", { ...draft("EVALUATE", "Perhaps."), reply_to: peers });
  });
});

describe("a number that JavaScript reads as infinite", () => {
  for (const number of ["1e400", "9".repeat(400), "-1e999"]) {
    it(`(${number.slice(0, 8)}) is no part of a message, a config or a log`, () => {
      const project = talk();
      const json = JSON.stringify({ ...draft("RESPONSE", "This."), meta: { tokens: 0 } });
      const asJson = json.replace('"tokens":0', `"tokens":${number}`);
      const asYaml = `type: RESPONSE\nmeta: {tokens: ${number}}\nquestion_or_proposal: {content: It}\n`;
      for (const message of [asJson, asYaml]) {
        const { code, stderr } = project.send("talk", "gemini", message);
        assert.equal(code, 2, stderr);
        assert.match(stderr, /which is too large; write it as text|which is no number/);
      }
      writeFileSync(project.path("config.json"), `{"max_rounds": ${number}}`);
      const { stderr } = project.next("talk", "gemini");
      assert.match(stderr, /config\.json has the number .* too large/);
      writeFileSync(project.path("config.json"), "{}");
      const lines = readFileSync(logOf(project), "utf8").replace(/\}\n/, `,"more":${number}}\n`);
      writeFileSync(logOf(project), lines);
      assert.match(project.next("talk", "gemini").stderr, /line 1 has a number that is too large/);
    });
  }
});
