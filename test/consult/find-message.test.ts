import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findMessage } from "../../scripts-src/consult/find-message.ts";
import { cpuMs } from "../cpu-time.ts";

const message = { type: "AGREE", question_or_proposal: { content: 'yes {"}' }, confidence: 0.9 };
const json = JSON.stringify(message);
const quoted = (text: string) => text.replace(/^/gm, "> ");
const fenced = (text: string, name = "json") => `\`\`\`${name}\n${text}\n\`\`\``;

const found: [name: string, answer: string][] = [
  ["in a JSON block", `Thoughts.\n${fenced(json)}\nBye.`],
  ["pretty-printed", fenced(JSON.stringify(message, undefined, 2))],
  [
    "in the last of several blocks",
    `${fenced('{"type":"X","question_or_proposal":{"content":"n"}}')}\n${fenced(json)}`,
  ],
  ["before a block that is something else", `${fenced(json)}\n${fenced('{"other": 1}')}`],
  ["in an indented block", `1. So:\n   \`\`\`json\n   ${json}\n   \`\`\`\n`],
  ["in an unclosed block", `\`\`\`json\n${json}`],
  ["bare, with other objects around", `{"a": {"b": 1}} if (x) { y } ${json} {"c": 2}`],
  ["in an unnamed block", fenced(json, "")],
  ["as all there is", json],
  ["in a quotation", quoted(`So:\n\n${fenced(JSON.stringify(message, undefined, 2))}`)],
  ["bare in a quotation", `Sent:\n${quoted(JSON.stringify(message, undefined, 2))}\nBye.`],
  [
    "beside a quotation of another",
    `${quoted(fenced(json.replace("yes", "no")))}\n${fenced(json)}`,
  ],
];
for (const [name, answer] of found) {
  it(`finds a message ${name}`, async () => {
    assert.deepEqual(await findMessage(answer), { message });
  });
}

it("finds a message in YAML whose text holds a block of its own", async () => {
  const yaml =
    "type: AGREE\nquestion_or_proposal:\n  content: |\n    So:\n    ```\n    code\n    ```\nconfidence: 0.9";
  const result = await findMessage(fenced(yaml, "yaml"));
  assert("message" in result);
  assert.match(JSON.stringify(result.message), /code/);
});

const none: [name: string, answer: string, fault: RegExp][] = [
  ["an empty answer", "", /holds no message/],
  ["talk", "I agree with all of it.", /holds no message/],
  ["an object that is no message", fenced('{"type": "AGREE"}'), /holds no message/],
  ["a broken block", fenced('{"type": "AGREE", "question_or_proposal": '), /cannot be read/],
  [
    "a key twice",
    fenced('{"type":"AGREE","type":"RESPONSE","question_or_proposal":{"content":"a"}}'),
    /twice/,
  ],
  [
    "an unfilled draft",
    fenced('{"type":"RESPONSE","question_or_proposal":{"content":"<why>"}}'),
    /unfilled draft/,
  ],
];
describe("finds no message in", () => {
  for (const [name, answer, fault] of none) {
    it(name, async () => {
      const result = await findMessage(answer);
      assert("fault" in result);
      assert.match(result.fault, fault);
    });
  }
  it("megabytes of braces, without taking long", async () => {
    const result = await findMessage('{"a":'.repeat(500_000));
    assert("fault" in result);
  });
});

it("takes time that grows with a line of blanks after a fence, not with its square", async () => {
  const answer = `${fenced(json)}\n\`\`\`${" \t".repeat(200_000)}!`;
  const started = cpuMs();
  assert.deepEqual(await findMessage(answer), { message });
  const took = cpuMs() - started;
  assert(took < 5_000, `${Math.round(took)} ms`);
});
