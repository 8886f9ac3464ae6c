import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { deadlineLine, metaText, readMeta } from "../../../scripts-src/findings/rules/meta-file.ts";

const createdAt = "2026-04-22T14:35:00.123Z";
// Byte for byte what the original's init.sh writes.
const original =
  "- **expected_agents:** 2\n- **timeout_seconds:** 120\n- **poll_interval_seconds:** 5\n" +
  "- **created:** 2026-04-22T14:35:00Z\n";

const board = { expectedAgents: 2, timeoutSeconds: 120, about: "", createdAt };
const sound = {
  expectedAgents: 2,
  timeoutSeconds: 120,
  pollIntervalSeconds: 5,
  deadline: "",
  about: "",
  fault: "",
};

describe("meta.md", () => {
  it("is written as the original writes it", () => {
    assert.equal(metaText(board), original);
  });

  it("says at its end what the board is about", () => {
    const text = metaText({ ...board, about: " why is\nit slow? " });
    assert.equal(text, `${original}- **about:** why is it slow?\n`);
    assert.equal(readMeta(text).about, "why is it slow?");
  });

  it("gets the original's deadline line, in whole seconds", () => {
    const line = "- **deadline:** 2026-04-22T14:35:00Z";
    assert.equal(deadlineLine("2026-04-22T14:35:00Z"), line);
    assert.equal(deadlineLine("2026-04-22T14:35:00.987Z"), line);
  });

  it("hides from the originals the words they look for in what the board is about", () => {
    const about = "expected_agents: 9, timeout_seconds: 1, deadline: 2020-01-01T00:00:00Z &#58; &";
    const text = metaText({ ...board, about });
    for (const word of ["expected_agents:", "timeout_seconds:", "deadline:"]) {
      assert.equal(text.split(word).length, word === "deadline:" ? 1 : 2, word);
    }
    assert.deepEqual(readMeta(text), { ...sound, about });
  });

  it("is read back as it was written, whatever the board is about", () => {
    const words = fc.constantFrom("deadline:", "&#58;", "&#38;", "&", "#", ":", "x", "**", " ");
    const abouts = fc.oneof(
      fc.string(),
      fc.array(words).map((it) => it.join("")),
    );
    fc.assert(
      fc.property(abouts, fc.integer({ min: 1, max: 64 }), (about, expectedAgents) => {
        const read = readMeta(metaText({ ...board, about, expectedAgents }));
        const line = about.replace(/\s+/g, " ").trim();
        assert.deepEqual(read, { ...sound, about: line, expectedAgents });
      }),
    );
  });

  it("is read whatever stands there", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.match(readMeta(text).fault, /^invalid meta\.md: expected_agents is missing, /);
      }),
    );
  });
});

const readings: [name: string, text: string, expected: Partial<typeof sound>][] = [
  ["the original's text", original, {}],
  ["carriage returns, blanks and blank lines", `\n${original.replace(/\n/g, "  \r\n\r\n")}`, {}],
  ["a byte order mark", `\ufeff${original}`, {}],
  ["other bullets and prose", `# Board\n${original}- **owner:** me\n\nSee: there\n`, {}],
  ["plain lines of a person", "expected_agents: 2\n* timeout_seconds: 120\n", {}],
  ["no timeout: the seed's default", "- **expected_agents:** 2\n", {}],
  ["timeout 0", original.replace("120", "0"), { timeoutSeconds: 0 }],
  ["a week", original.replace("120", "604800"), { timeoutSeconds: 604_800 }],
  ["64 agents", original.replace("** 2\n", "** 64\n"), { expectedAgents: 64 }],
  ["another interval", original.replace("** 5\n", "** 9\n"), { pollIntervalSeconds: 9 }],
  ["an odd interval", original.replace("** 5\n", "** often\n"), {}],
  ["the same number twice", `${original}- **expected_agents:** 2\n`, {}],
];

// What poll.sh of the original took for the deadline.
const [past, future] = ["2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"];
const deadlines: [name: string, lines: string, deadline: string][] = [
  ["one", `- **deadline:** ${past}\n`, past],
  ["the first of two", `- **deadline:** ${past}\n- **deadline:** ${future}\n`, past],
  [
    "the first of two, the later one",
    `- **deadline:** ${future}\n- **deadline:** ${past}\n`,
    future,
  ],
  ["the first that is a time", `- **deadline:** soon\n- **deadline:** ${past}\n`, past],
  ["the first in a line", `the deadline: ${future}, was ${past}\n`, future],
];

describe("reading meta.md", () => {
  for (const [name, text, expected] of readings) {
    it(`understands ${name}`, () => {
      assert.deepEqual(readMeta(text), { ...sound, ...expected });
    });
  }

  for (const [name, lines, deadline] of deadlines) {
    it(`takes as deadline ${name}`, () => {
      assert.deepEqual(readMeta(original + lines), { ...sound, deadline });
    });
  }

  it("takes no other time for a deadline", () => {
    assert.equal(readMeta(`${original}- **closed:** ${past}\n`).deadline, "");
  });
});

function withAgents(value: string): string {
  return original.replace("** 2\n", `** ${value}\n`);
}

function withTimeout(value: string): string {
  return original.replace("120", value);
}

const faults: [name: string, text: string | undefined, fault: RegExp][] = [
  ["a missing file", undefined, /^meta\.md is missing: .* restore it, or make another board/],
  ["an empty file", "", /expected_agents is missing, expected one whole number from 1 to 64/],
  ["no number", withAgents("abc"), /expected_agents is "abc", expected one whole number/],
  ["no value", withAgents(""), /expected_agents is "", expected/],
  ["no agents", withAgents("0"), /expected_agents is "0", .*correct its line: - \*\*expected_ag/],
  ["fewer than none, which the original takes for 1", withAgents("-1"), /expected_agents is "-1"/],
  ["too many", withAgents("65"), /expected_agents is "65", expected one whole number from 1 to 64/],
  ["a fraction", withAgents("1.5"), /expected_agents is "1.5"/],
  ["words after it", withAgents("3 agents"), /expected_agents is "3 agents"/],
  ["a huge number", withAgents("9".repeat(40)), /expected_agents is "9{40}"/],
  ["two numbers", `${original}- **expected_agents:** 3\n`, /expected_agents is "2" and "3"/],
  ["no time to wait", withTimeout("xyz"), /timeout_seconds is "xyz", .* from 0 to 604800/],
  ["a negative timeout", withTimeout("-1"), /timeout_seconds is "-1"/],
  [
    "more than a week",
    withTimeout("604801"),
    /timeout_seconds is "604801".*:\*\* 604800 \(the first line/,
  ],
  [
    "an odd deadline",
    `${original}- **deadline:** soon\n`,
    /deadline is "soon", expected a time; correct its line/,
  ],
  ["an empty deadline", `${original}- **deadline:**\n`, /deadline is "", expected a time/],
  ["a day that is none", `${original}- **deadline:** 2026-02-30T00:00:00Z\n`, /"2026-02-30T00/],
  [
    "milliseconds, which the original does not see",
    `${original}- **deadline:** 2026-04-22T14:35:00.123Z\n`,
    /deadline is "2026-04-22T14:35:00\.123Z"/,
  ],
  ["terminal controls", withAgents("\u001b[2J"), /expected_agents is "\\u001b\[2J"/],
];

describe("a damaged meta.md", () => {
  for (const [name, text, fault] of faults) {
    it(`has a fault for ${name}`, () => {
      assert.match(readMeta(text).fault, fault);
      assert.doesNotMatch(readMeta(text).fault, /\n/);
    });
  }
});
