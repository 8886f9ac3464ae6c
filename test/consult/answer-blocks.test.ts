import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { messageIn, reportsIn } from "../../scripts-src/consult/answer-blocks.ts";
import { cpuMs } from "../cpu-time.ts";
import { fencedReport, reportOn } from "./scripted-peer.ts";

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
    assert.deepEqual(await messageIn(answer), { message });
  });
}

it("finds a message in YAML whose text holds a block of its own", async () => {
  const yaml =
    "type: AGREE\nquestion_or_proposal:\n  content: |\n    So:\n    ```\n    code\n    ```\nconfidence: 0.9";
  const result = await messageIn(fenced(yaml, "yaml"));
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
    /unfilled example/,
  ],
];
describe("finds no message in", () => {
  for (const [name, answer, fault] of none) {
    it(name, async () => {
      const result = await messageIn(answer);
      assert("fault" in result);
      assert.match(result.fault, fault);
    });
  }
  it("megabytes of braces, without taking long", async () => {
    const result = await messageIn('{"a":'.repeat(500_000));
    assert("fault" in result);
  });
});

const one = reportOn("A blank line ends the import");
const other = reportOn("The clock is not the cause");
const nesting = reportOn("It nests", "\n```\ntrace\n```\n\n```sh\nnpm test\n```\nBelow it.");
const commented = reportOn("It comments", "\n```\n# a comment\n```\nthen\n```\n# two\n```\nLast.");

describe("reports are found", () => {
  const found: [name: string, answer: string, reports: string[]][] = [
    ["in a block", `I looked.\n\n${fencedReport(one)}\n`, [one]],
    ["in several blocks", `${fencedReport(one)}\nand\n${fencedReport(other)}\nBye.`, [one, other]],
    ["in a block called md", fencedReport(one, "```", "md"), [one]],
    ["in a block of tildes", fencedReport(one, "~~~"), [one]],
    ["in a block without a name", fencedReport(one, "````", ""), [one]],
    ["in an indented block", fencedReport(one).replace(/^/gm, "   "), [one]],
    ["in a quotation", quoted(fencedReport(one)), [one]],
    ["with Windows line ends", fencedReport(one).replaceAll("\n", "\r\n"), [one]],
    ["with blocks inside", fencedReport(nesting), [nesting]],
    ["with blocks inside that are fenced alike", fencedReport(nesting, "```"), [nesting]],
    ["with comments in such blocks", fencedReport(commented, "```"), [commented]],
    [
      "before talk with a block",
      `${fencedReport(one, "```")}\nRun it:\n\`\`\`sh\nls\n\`\`\`\n`,
      [one],
    ],
    [
      "one after the other with blocks inside",
      `${fencedReport(nesting, "```")}\n\n${fencedReport(other, "```")}`,
      [nesting, other],
    ],
    [
      "beside Markdown that is none",
      `${fencedReport("# README\n\nHello.")}\n${fencedReport(one)}\n${fencedReport("- a\n- b")}`,
      [one],
    ],
    ["beside the example", `${fencedReport(reportOn("..."))}\n${fencedReport(one)}`, [one]],
    ["as they are", `Here it is:\n\n${one}`, [one]],
    ["not in talk", "I found nothing.\n# really\n", []],
    ["not in other blocks", "```json\n{}\n```", []],
    ["not in nothing", "", []],
    ["with a header that is not right", fencedReport("# T\n\nNo header."), ["# T\n\nNo header."]],
  ];
  for (const [name, answer, reports] of found) {
    it(name, () => {
      const expected = reports.map((report) => `${report.trim()}\n`);
      assert.deepEqual(reportsIn(answer), { reports: expected });
    });
  }

  const faults: [name: string, answer: string, fault: RegExp][] = [
    ["an example that is not filled in", fencedReport(reportOn("...")), /unfilled example/],
    [
      "a report that is cut off",
      `${fencedReport(one)}\n\`\`\`\`markdown\n${other}`,
      /may be cut off/,
    ],
    ["too many", fencedReport(one).concat("\n").repeat(33), /holds 33 reports, the limit is 32/],
  ];
  for (const [name, answer, fault] of faults) {
    it(`but not ${name}`, () => {
      const found = reportsIn(answer);
      assert("fault" in found);
      assert.match(found.fault, fault);
    });
  }

  it("in megabytes of fences without taking long", () => {
    const start = cpuMs();
    reportsIn("```markdown\n".repeat(200_000));
    reportsIn("```\n# x\n".repeat(200_000));
    assert(cpuMs() - start < 3_000);
  });
});

it("finds messages and reports in time that grows with a line of blanks after a fence, not with its square", async () => {
  const blanks = `\n\`\`\`${" \t".repeat(200_000)}!`;
  const started = cpuMs();
  assert.deepEqual(await messageIn(`${fenced(json)}${blanks}`), { message });
  assert.deepEqual(reportsIn(`${fencedReport(one)}${blanks}`), { reports: [one] });
  const took = cpuMs() - started;
  assert(took < 10_000, `${Math.round(took)} ms`);
});
