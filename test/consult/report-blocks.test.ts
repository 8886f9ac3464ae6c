import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findReports } from "../../scripts-src/consult/report-blocks.ts";
import { topicOfTitle } from "../../scripts-src/consult/report-topic.ts";
import { cpuMs } from "../cpu-time.ts";
import { fencedReport, reportOn } from "./scripted-peer.ts";

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
    ["with Windows line ends", fencedReport(one).replaceAll("\n", "\r\n"), [one]],
    ["with blocks inside", fencedReport(nesting), [nesting]],
    ["with blocks inside that are fencedReport alike", fencedReport(nesting, "```"), [nesting]],
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
      assert.deepEqual(findReports(answer), { reports: expected });
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
  const answer = `${fencedReport(one)}\n\`\`\`${" \t".repeat(200_000)}!`;
  const started = cpuMs();
  assert.deepEqual(findReports(answer), { reports: [one] });
  const took = cpuMs() - started;
  assert(took < 5_000, `${Math.round(took)} ms`);
});
