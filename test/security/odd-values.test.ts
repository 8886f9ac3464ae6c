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

const impossible = [
  "2026-13-45T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "2026-02-29T12:00:00.000Z",
  "2026-06-30T23:59:60Z",
  "2026-01-01T24:00:00Z",
];

describe("a time that no calendar has", () => {
  for (const at of [...impossible, "", "soon", "2026-11-22"]) {
    it(`(${at}) is none in the log of a dialogue`, () => {
      const project = talk();
      const log = project.path("sessions/talk/events.jsonl");
      const text = readFileSync(log, "utf8").replace(/"at":"[^"]*"/, `"at":"${at}"`);
      writeFileSync(log, text);
      const ran = project.run("validate", ["--session", "talk"]);
      assert.equal(ran.code, 2);
      assert.match(ran.stdout + ran.stderr, /line 1 says ".*" where a time must stand/);
    });
  }

  for (const timestamp of [...impossible, "9999-12-31T23:59:59Z"]) {
    it(`(${timestamp}) is none in mail`, () => {
      const project = talk();
      const message = {
        ...draft("RESPONSE", "This."),
        ...{ id: "talk-x", session_id: "talk", timestamp, from: "gemini", to: "claude", round: 1 },
        expects_reply: true,
      };
      const name = "talk-20261122T100000Z-gemini-response.json";
      project.put("claude", name, JSON.stringify(message));
      project.next("talk", "claude");
      assert.equal(project.acts("talk").length, 2, "it was entered");
      const [reason = ""] = project.files("errors").filter((it) => it.endsWith(".reason.txt"));
      assert.match(project.read("errors", reason), /timestamp is ".*", expected a time/);
      assert.equal(project.next("talk", "gemini").code, 0);
    });
  }
});

describe("reply_to in parallelo", () => {
  it("names a message of the peer that is to be answered", () => {
    const project = talk("--mode", "parallelo");
    project.say("talk", "gemini", draft("RESPONSE", "This."));
    const seqs = project.acts("talk").map(({ seq }) => Number(seq));
    const [own = 0, peers = 0] = seqs.slice(-2);
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
  const texts: [what: string, text: string][] = [
    ["1e400", "1e400"],
    ["a number of 400 digits", "9".repeat(400)],
    ["-1e999", "-1e999"],
  ];
  for (const [what, text] of texts) {
    it(`(${what}) is no part of a message, in JSON or YAML`, () => {
      const project = talk();
      const json = JSON.stringify({ ...draft("RESPONSE", "This."), meta: { tokens: 0 } });
      const asJson = json.replace('"tokens":0', `"tokens":${text}`);
      const asYaml = `type: RESPONSE\nmeta: {tokens: ${text}}\nquestion_or_proposal: {content: It}\n`;
      for (const message of [asJson, asYaml]) {
        const { code, stderr } = project.send("talk", "gemini", message);
        assert.equal(code, 2, stderr);
        assert.match(stderr, /which is too large; write it as text|which is no number/);
      }
    });

    it(`(${what}) is none in a log, nor in the config`, () => {
      const project = talk();
      writeFileSync(project.path("config.json"), `{"max_rounds": ${text}}`);
      assert.match(
        project.next("talk", "gemini").stderr,
        /config\.json has the number .* too large/,
      );
      writeFileSync(project.path("config.json"), "{}");
      const log = project.path("sessions/talk/events.jsonl");
      const lines = readFileSync(log, "utf8").replace(/\}\n/, `,"more":${text}}\n`);
      writeFileSync(log, lines);
      assert.match(project.next("talk", "gemini").stderr, /line 1 has a number that is too large/);
    });
  }
});
