import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  agentLine,
  agentsFileStart,
  agentsIn,
} from "../../../scripts-src/findings/rules/agents-file.ts";

const at = "2026-04-22T14:35:00Z";

const lines: [name: string, line: string, agents: [string, string][], strange: string[]][] = [
  ["as the original writes it", `- bob (registered: ${at})`, [["bob", at]], []],
  ["with trailing blanks and a carriage return", `- bob (registered: ${at}) \r`, [["bob", at]], []],
  ["with a name alone", "- bob", [["bob", ""]], []],
  ["with words of a person", "- bob came by hand", [["bob", ""]], []],
  ["without a time", "- bob (registered:)", [["bob", ""]], []],
  ["with a name in capitals", `- Bob (registered: ${at})`, [], [`- Bob (registered: ${at})`]],
  ["with a reserved name", `- all (registered: ${at})`, [], [`- all (registered: ${at})`]],
  ["with a path as name", "- ../x (registered)", [], ["- ../x (registered)"]],
  ["with no name", "- ", [], ["- "]],
  ["that is indented, which the original does not count", "  - bob", [], ["  - bob"]],
  ["with a star, which the original does not count", "* bob", [], ["* bob"]],
  ["that is the tail of a forged name", "y (registered: x)", [], ["y (registered: x)"]],
  ["that is a heading", "## Others", [], []],
];

describe("agents.md", () => {
  for (const [name, line, agents, strange] of lines) {
    it(`has a line ${name}`, () => {
      const read = agentsIn(`${agentsFileStart}${line}\n\n`);
      const found = read.agents.map((agent) => [agent.name, agent.registeredAt]);
      assert.deepEqual(found, agents);
      assert.deepEqual(
        read.strange.map((it) => it.replace("\r", "")),
        strange,
      );
    });
  }

  it("begins as the original's does", () => {
    assert.equal(agentsFileStart, "# Registered Agents\n");
    assert.deepEqual(agentsIn(agentsFileStart), { agents: [], strange: [] });
    assert.deepEqual(agentsIn(""), { agents: [], strange: [] });
  });

  it("counts an agent once and believes its first line", () => {
    const text = `- bob (registered: ${at})\n- cy\n- bob (registered: 2027-01-01T00:00:00Z)\n`;
    assert.deepEqual(agentsIn(text).agents, [
      { name: "bob", registeredAt: at },
      { name: "cy", registeredAt: "" },
    ]);
  });

  it("gets the original's line, in whole seconds", () => {
    assert.equal(agentLine("bob", at), `- bob (registered: ${at})`);
    assert.equal(agentLine("bob", "2026-04-22T14:35:00.987Z"), `- bob (registered: ${at})`);
  });

  it("gives back every agent that was written to it", () => {
    const name = fc.stringMatching(/^q[a-z0-9-]{0,20}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const text = agentsFileStart + names.map((it) => `${agentLine(it, at)}\n`).join("");
        const { agents, strange } = agentsIn(text);
        assert.deepEqual(
          agents.map((agent) => agent.name),
          names,
        );
        assert.deepEqual(strange, []);
      }),
    );
  });

  it("is read whatever stands there", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void agentsIn(text)));
  });
});
