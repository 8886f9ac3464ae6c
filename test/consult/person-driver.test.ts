import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import type { Turn } from "../../scripts-src/consult/driver.ts";
import { findEvent } from "../../scripts-src/consult/event-block.ts";
import { findMessage } from "../../scripts-src/consult/find-message.ts";
import { personDriver } from "../../scripts-src/consult/person-driver.ts";
import { defaultConfig } from "../../scripts-src/protocol/config.ts";
import type { Move } from "../../scripts-src/protocol/protocol.ts";

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
    moves: [{ purpose: "answer", options: { message: "-" }, input: draft }],
    documents: [],
  };
  const turn = {
    place: { id: "s", folder: "/", workspace: undefined, config: defaultConfig },
    participant: "me",
    project: "/",
    scripts: "/",
    prompt: "",
    situation: "Your turn.",
  };
  return { ...turn, guidance, fault, resume: undefined, timeoutMs: 0 };
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

describe("a person in a collaboration", () => {
  const form = "Context:\n- <what you read>\n";
  const review = { event: "review_submitted", summary: "...", review: "-" };
  const blocked = { purpose: "stop", options: { event: "blocked", summary: "..." } };
  function turnOf(moves: Move[], documents: string[], fault?: string): Turn {
    const turn = turnWith({}, fault);
    return { ...turn, guidance: { ...turn.guidance, moves, documents } };
  }
  const { signal } = new AbortController();

  it("is asked for a review up to a single dot, paragraphs kept", async () => {
    const lines = ["", "Context:", "- read it", "", "Position:", "- accept", ".", "I accept."];
    const { person, shown } = typing(lines);
    const moves = [{ purpose: "review", options: review, input: form }, blocked];
    const result = await personDriver(person).takeTurn(turnOf(moves, []), signal);
    const found = await findEvent(result.answer);
    assert("event" in found);
    assert.equal(found.event, "review_submitted");
    assert.equal(found.summary, "I accept.");
    assert.equal(found.more["review"], "Context:\n- read it\n\nPosition:\n- accept");
    assert.match(shown.join(""), /Context:\n- <what you read>/);
    assert.match(shown.join(""), /event: review_submitted, blocked \[review_submitted\]/);
  });

  it("edits documents first, and keeps its summary after a refusal", async () => {
    const moves = [{ purpose: "propose", options: { event: "proposal_submitted" } }, blocked];
    const { person, shown } = typing(["", "", "Use files."]);
    const driver = personDriver(person);
    await driver.takeTurn(turnOf(moves, ["proposal.md"]), signal);
    assert.match(shown.join(""), /Edit these first, in an editor:\n {2}\/proposal\.md\n/);
    Object.assign(person, typing(["", "", ""]).person);
    const again = await driver.takeTurn(turnOf(moves, ["proposal.md"], "TBD is left"), signal);
    const found = await findEvent(again.answer);
    assert.deepEqual("event" in found ? [found.event, found.summary] : found, [
      "proposal_submitted",
      "Use files.",
    ]);
  });

  it("can stop it all without editing anything", async () => {
    const moves = [{ purpose: "propose", options: { event: "proposal_submitted" } }, blocked];
    const { person } = typing(["blocked", "Ask my boss."]);
    const result = await personDriver(person).takeTurn(turnOf(moves, ["proposal.md"]), signal);
    const found = await findEvent(result.answer);
    assert("event" in found);
    assert.deepEqual([found.event, found.summary], ["blocked", "Ask my boss."]);
  });
});

it("leaves the session open when a person ends the input", async () => {
  const { person } = typing([]);
  const result = await personDriver(person).takeTurn(turnWith(draft), new AbortController().signal);
  assert.equal(result.left, true);
});
