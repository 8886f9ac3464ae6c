import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findReports } from "../../scripts-src/consult/report-blocks.ts";
import { topicOfTitle } from "../../scripts-src/consult/report-topic.ts";
import { cpuMs } from "../cpu-time.ts";
import { fenced, reportOn } from "./findings-run.ts";

const one = reportOn("A blank line ends the import");
const other = reportOn("The clock is not the cause");
const nesting = reportOn("It nests", "\n```\ntrace\n```\n\n```sh\nnpm test\n```\nBelow it.");
const commented = reportOn("It comments", "\n```\n# a comment\n```\nthen\n```\n# two\n```\nLast.");

describe("reports are found", () => {
  const found: [name: string, answer: string, reports: string[]][] = [
    ["in a block", `I looked.\n\n${fenced(one)}\n`, [one]],
    ["in several blocks", `${fenced(one)}\nand\n${fenced(other)}\nBye.`, [one, other]],
    ["in a block called md", fenced(one, "```", "md"), [one]],
    ["in a block of tildes", fenced(one, "~~~"), [one]],
    ["in a block without a name", fenced(one, "````", ""), [one]],
    ["in an indented block", fenced(one).replace(/^/gm, "   "), [one]],
    ["in a quotation", fenced(one).replace(/^/gm, "> "), [one]],
    ["with Windows line ends", fenced(one).replaceAll("\n", "\r\n"), [one]],
    ["with blocks inside", fenced(nesting), [nesting]],
    ["with blocks inside that are fenced alike", fenced(nesting, "```"), [nesting]],
    ["with comments in such blocks", fenced(commented, "```"), [commented]],
    ["before talk with a block", `${fenced(one, "```")}\nRun it:\n\`\`\`sh\nls\n\`\`\`\n`, [one]],
    [
      "one after the other with blocks inside",
      `${fenced(nesting, "```")}\n\n${fenced(other, "```")}`,
      [nesting, other],
    ],
    [
      "beside Markdown that is none",
      `${fenced("# README\n\nHello.")}\n${fenced(one)}\n${fenced("- a\n- b")}`,
      [one],
    ],
    ["beside the example", `${fenced(reportOn("..."))}\n${fenced(one)}`, [one]],
    ["as they are", `Here it is:\n\n${one}`, [one]],
    ["not in talk", "I found nothing.\n# really\n", []],
    ["not in other blocks", "```json\n{}\n```", []],
    ["not in nothing", "", []],
    ["with a header that is not right", fenced("# T\n\nNo header."), ["# T\n\nNo header."]],
  ];
  for (const [name, answer, reports] of found) {
    it(name, () => {
      const expected = reports.map((report) => `${report.trim()}\n`);
      assert.deepEqual(findReports(answer), { reports: expected });
    });
  }

  const faults: [name: string, answer: string, fault: RegExp][] = [
    ["an example that is not filled in", fenced(reportOn("...")), /unfilled example/],
    ["a report that is cut off", `${fenced(one)}\n\`\`\`\`markdown\n${other}`, /may be cut off/],
    ["too many", fenced(one).concat("\n").repeat(33), /holds 33 reports, the limit is 32/],
  ];
  for (const [name, answer, fault] of faults) {
    it(`but not ${name}`, () => {
      const found = findReports(answer);
      assert("fault" in found);
      assert.match(found.fault, fault);
    });
  }

  it("in megabytes of fences without taking long", () => {
    const start = cpuMs();
    findReports("```markdown\n".repeat(200_000));
    findReports("```\n# x\n".repeat(200_000));
    assert(cpuMs() - start < 3_000);
  });
});

describe("the topic of a report", () => {
  const topics: [title: string, topic: string][] = [
    ["A blank line ends the import", "a blank line ends the import"],
    ["`src/a.ts:12` -- na\u00efve, isn't it?", "src a ts 12 naive isn t it"],
    [`${"word ".repeat(30)}end`, "word word word word word word word word word word word word"],
    ["x".repeat(200), "x".repeat(60)],
    ["\u0420\u0430\u0437\u0431\u043e\u0440", "finding"],
    ["", "finding"],
  ];
  for (const [title, topic] of topics) {
    it(`of ${JSON.stringify(title.slice(0, 40))} can name a file`, () => {
      assert.equal(topicOfTitle(title), topic);
    });
  }
});

it("takes time that grows with a line of blanks after a fence, not with its square", () => {
  const answer = `${fenced(one)}\n\`\`\`${" \t".repeat(200_000)}!`;
  const started = cpuMs();
  assert.deepEqual(findReports(answer), { reports: [one] });
  const took = cpuMs() - started;
  assert(took < 5_000, `${Math.round(took)} ms`);
});
