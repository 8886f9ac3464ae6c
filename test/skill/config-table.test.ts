import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { configurationPage } from "../../docs/configuration-page.ts";
import { defaultConfig, modes } from "../../scripts-src/protocol/config.ts";

it("docs/configuration.md is what the schema and PROTOCOL.md say", () => {
  const page = readFileSync("docs/configuration.md", "utf8");
  assert.equal(page, configurationPage(), "run npx tsx docs/configuration.ts");
});

it("PROTOCOL.md names every key of config.json with its default", () => {
  const [, section = ""] = readFileSync(".consulta/PROTOCOL.md", "utf8").split("## Configuration");
  const rows = [...section.matchAll(/^\| (`.*?) \| (.*?) \| .* \|$/gm)];
  const told = rows.flatMap(([, keys = "", values = ""]) => {
    const names = [...keys.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    const defaults = values.split(", ");
    assert.equal(defaults.length, names.length, keys);
    return names.map((name, index) => [name, defaults[index]]);
  });
  assert.equal(modes.length, 4);
  const expected = { ...defaultConfig, modes_enabled: "all four", owner_words: "none" };
  const known = Object.entries(expected).map(([name, value]) => [name, String(value)]);
  assert.deepEqual(told.toSorted(), known.toSorted());
});
