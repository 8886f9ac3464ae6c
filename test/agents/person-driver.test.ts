import assert from "node:assert/strict";
import { it } from "node:test";
import type { Turn } from "../../scripts-src/agents/driver.ts";
import { findMessage } from "../../scripts-src/agents/find-message.ts";
import { personDriver } from "../../scripts-src/agents/person-driver.ts";
import type { JsonObject } from "../../scripts-src/core/json.ts";

const draft = {
  type: "EVALUATE",
  question_or_proposal: { content: "..." },
  confidence: 0.5,
  answers: [{ question: "Q4.1", answer: "..." }],
  checks: [{ claim: "C3.1", outcome: "holds|fails", evidence: "..." }],
};

function turnWith(draft: JsonObject, fault?: string): Turn {
  const guidance = {
    turn: "yours" as const,
    standing: [],
    received: [],
    receivedEarlier: 0,
    obligations: [],
    advice: [],
    draft,
  };
  const place = {
    session: "s",
    participant: "me",
    project: "/",
    scripts: "/",
    prompt: "",
    situation: "Your turn.",
  };
  return { ...place, guidance, fault, resume: undefined, timeoutMs: 0 };
}

function typing(lines: string[]) {
  const shown: string[] = [];
  const person = {
    show: (text: string) => void shown.push(text),
    ask: async (question: string) => {
      shown.push(question);
      return lines.shift();
    },
  };
  return { person, shown };
}

it("asks a person for what the draft holds, line by line", async () => {
  const lines = ["agree", "Fine by me.", "", "", "0.9", "twice a day", "holds", "counted again"];
  const { person, shown } = typing(lines);
  const result = await personDriver(person).takeTurn(turnWith(draft), new AbortController().signal);
  assert.deepEqual(await findMessage(result.answer), {
    message: {
      type: "AGREE",
      question_or_proposal: { content: "Fine by me." },
      confidence: 0.9,
      answers: [{ question: "Q4.1", answer: "twice a day" }],
      checks: [{ claim: "C3.1", outcome: "holds", evidence: "counted again" }],
    },
  });
  assert.match(shown.join(""), /Your turn\./);
  assert.match(shown.join(""), /checks\[1\] C3\.1: outcome: holds, fails/);
});

it("asks again what a person wrote wrongly, and keeps the answers after a refusal", async () => {
  const simple = { type: "RESPONSE", question_or_proposal: { content: "..." }, confidence: 0.5 };
  const { person, shown } = typing(["maybe", "", "I say so.", "", "", "7", "0.7"]);
  const driver = personDriver(person);
  const signal = new AbortController().signal;
  await driver.takeTurn(turnWith(simple), signal);
  assert.match(shown.join(""), /Please write one of: REQUEST, RESPONSE/);
  assert.match(shown.join(""), /from 0 to 1/);
  const again = typing(["", "", "", "", '{"references": ["a.txt"]}']);
  Object.assign(person, again.person);
  const result = await driver.takeTurn(turnWith(simple, "add references"), signal);
  assert.deepEqual(await findMessage(result.answer), {
    message: {
      type: "RESPONSE",
      question_or_proposal: { content: "I say so." },
      confidence: 0.7,
      references: ["a.txt"],
    },
  });
});

it("leaves the session open when a person ends the input", async () => {
  const { person } = typing([]);
  const result = await personDriver(person).takeTurn(turnWith(draft), new AbortController().signal);
  assert.equal(result.left, true);
});
