import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  agentLine,
  agentsFileStart,
  agentsIn,
  deadlineLine,
  metaText,
  readMeta,
} from "../../../scripts-src/findings/rules/meta-and-agents.ts";

const time = "2026-04-22T14:35:00Z";
const createdAt = "2026-04-22T14:35:00.123Z";
// Byte for byte what the original's init.sh writes.
const original =
  "- **expected_agents:** 2\n- **timeout_seconds:** 120\n- **poll_interval_seconds:** 5\n" +
  `- **created:** ${time}\n`;

const board = { expectedAgents: 2, timeoutSeconds: 120, about: "", createdAt };
const numbers = { expectedAgents: 2, timeoutSeconds: 120, pollIntervalSeconds: 5 };
const sound = { ...numbers, deadline: "", about: "", fault: "" };

describe("meta.md", () => {
  it("is written as the original writes it, with what the board is about at its end", () => {
    assert.equal(metaText(board), original);
    const text = metaText({ ...board, about: " why is\nit slow? " });
    assert.equal(text, `${original}- **about:** why is it slow?\n`);
    assert.equal(deadlineLine("2026-04-22T14:35:00.987Z"), `- **deadline:** ${time}`);
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

  // What poll.sh of the original took for the deadline is the first time on a line with that word.
  const [past, future] = ["2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"];
  const readings: [name: string, text: string, expected: Partial<typeof sound>][] = [
    ["the original's text", original, {}],
    ["carriage returns and blanks", `\n${original.replace(/\n/g, "  \r\n\r\n")}`, {}],
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
    ["a deadline", `${original}- **deadline:** ${past}\n`, { deadline: past }],
    [
      "two deadlines, of which the first counts",
      `${original}- **deadline:** ${future}\n- **deadline:** ${past}\n`,
      { deadline: future },
    ],
    [
      "a deadline behind one that is no time",
      `${original}- **deadline:** soon\n- **deadline:** ${past}\n`,
      { deadline: past },
    ],
    [
      "a deadline in prose",
      `${original}the deadline: ${future}, was ${past}\n`,
      { deadline: future },
    ],
    ["another time, which is no deadline", `${original}- **closed:** ${past}\n`, {}],
  ];
  for (const [name, text, expected] of readings) {
    it(`is understood with ${name}`, () => {
      assert.deepEqual(readMeta(text), { ...sound, ...expected });
    });
  }

  const agents = (value: string) => original.replace("** 2\n", `** ${value}\n`);
  const timeout = (value: string) => original.replace("120", value);
  const due = (value: string) => `${original}- **deadline:**${value}\n`;
  const faults: [name: string, text: string | undefined, fault: RegExp][] = [
    ["a missing file", undefined, /^meta\.md is missing: .* restore it, or make another board/],
    ["an empty file", "", /expected_agents is missing, expected one whole number from 1 to 64/],
    ["no number", agents("abc"), /expected_agents is "abc", expected one whole number/],
    ["no agents", agents("0"), /expected_agents is "0", .*correct its line: - \*\*expected_ag/],
    ["fewer than none", agents("-1"), /expected_agents is "-1"/],
    ["too many", agents("65"), /expected_agents is "65", expected one whole number from 1 to 64/],
    ["a fraction", agents("1.5"), /expected_agents is "1.5"/],
    ["words after it", agents("3 agents"), /expected_agents is "3 agents"/],
    ["a huge number", agents("9".repeat(40)), /expected_agents is "9{40}"/],
    ["two numbers", `${original}- **expected_agents:** 3\n`, /expected_agents is "2" and "3"/],
    ["no time to wait", timeout("xyz"), /timeout_seconds is "xyz", .* from 0 to 604800/],
    ["a negative timeout", timeout("-1"), /timeout_seconds is "-1"/],
    ["more than a week", timeout("604801"), /is "604801".*:\*\* 604800 \(the first line/],
    ["an odd deadline", due(" soon"), /deadline is "soon", expected a time; correct its line/],
    ["an empty deadline", due(""), /deadline is "", expected a time/],
    ["a day that is none", due(" 2026-02-30T00:00:00Z"), /"2026-02-30T00/],
    ["milliseconds, which the original does not see", due(` ${createdAt}`), /is "2026-04-22T14:3/],
    ["terminal controls", agents("\u001b[2J"), /expected_agents is "\\u001b\[2J"/],
  ];
  for (const [name, text, fault] of faults) {
    it(`has a fault for ${name}`, () => {
      assert.match(readMeta(text).fault, fault);
      assert.doesNotMatch(readMeta(text).fault, /\n/);
    });
  }
});

describe("agents.md", () => {
  const lines: [name: string, line: string, registeredAt: string | undefined][] = [
    ["as the original writes it", `- bob (registered: ${time})`, time],
    ["with trailing blanks and a carriage return", `- bob (registered: ${time}) \r`, time],
    ["with a name alone", "- bob", ""],
    ["with words of a person", "- bob came by hand", ""],
    ["without a time", "- bob (registered:)", ""],
    ["with a name in capitals", `- Bob (registered: ${time})`, undefined],
    ["with a reserved name", `- all (registered: ${time})`, undefined],
    ["with a path as name", "- ../x (registered)", undefined],
    ["with no name", "- ", undefined],
    ["that is indented, which the original does not count", "  - bob", undefined],
    ["with a star, which the original does not count", "* bob", undefined],
    ["that is the tail of a forged name", "y (registered: x)", undefined],
  ];
  for (const [name, line, registeredAt] of lines) {
    it(`has a line ${name}`, () => {
      const read = agentsIn(`${agentsFileStart}## Others\n${line}\n\n`);
      const isAgent = registeredAt !== undefined;
      assert.deepEqual(read.agents, isAgent ? [{ name: "bob", registeredAt }] : []);
      assert.deepEqual(read.strange, isAgent ? [] : [line]);
    });
  }

  it("counts an agent once and believes its first line", () => {
    const text = `- bob (registered: ${time})\n- cy\n- bob (registered: 2027-01-01T00:00:00Z)\n`;
    const cy = { name: "cy", registeredAt: "" };
    assert.deepEqual(agentsIn(text).agents, [{ name: "bob", registeredAt: time }, cy]);
  });

  it("gets the original's lines, in whole seconds, and gives them back", () => {
    assert.equal(agentsFileStart, "# Registered Agents\n");
    assert.equal(agentLine("bob", "2026-04-22T14:35:00.987Z"), `- bob (registered: ${time})`);
    const name = fc.stringMatching(/^q[a-z0-9-]{0,20}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const text = agentsFileStart + names.map((it) => `${agentLine(it, time)}\n`).join("");
        const { agents, strange } = agentsIn(text);
        assert.deepEqual([agents.map((it) => it.name), strange], [names, []]);
      }),
    );
  });
});

it("meta.md and agents.md are read whatever stands there", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      agentsIn(text);
      assert.match(readMeta(text).fault, /^invalid meta\.md: expected_agents is missing, /);
    }),
  );
});
