import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hookEntries } from "../../scripts-src/clis/hook-entries.ts";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { filesBelow } from "../../scripts-src/pack/pack.ts";
import { repository } from "./machine.ts";

function read(path: string) {
  return JSON.parse(readFileSync(join(repository, path), "utf8"));
}

const { name, version } = read("package.json");
const plugin = read(".claude-plugin/plugin.json");
const marketplace = read(".claude-plugin/marketplace.json");
const extension = read("gemini-extension.json");

describe("packaging", () => {
  it("has one name and one version everywhere, that of package.json", () => {
    const [entry] = marketplace.plugins;
    const copies = ["dist", ...skillNames.map((skill) => `skills/${skill}/scripts`)];
    const stamps = copies.map((folder) => read(`${folder}/version.json`));
    for (const it of [plugin, entry, extension]) {
      assert.deepEqual([it.name, it.version], [name, version]);
    }
    assert.equal(marketplace.metadata.version, version);
    assert.deepEqual(
      stamps.map((it) => it.version),
      copies.map(() => version),
    );
    assert.equal(new Set(stamps.map(({ build }) => build)).size, 1);
  });

  it("gives the plugin every slash command of Claude Code, and the extension every one of Gemini CLI", () => {
    const commands = filesBelow(join(repository, ".claude/commands"));
    assert.deepEqual(
      plugin.commands,
      commands.map((file) => `./.claude/commands/${file}`),
    );
    const copies = filesBelow(join(repository, "commands"));
    assert.deepEqual(copies, filesBelow(join(repository, ".gemini/commands")));
    for (const file of copies) {
      const copy = readFileSync(join(repository, "commands", file), "utf8");
      assert.equal(copy, readFileSync(join(repository, ".gemini/commands", file), "utf8"));
    }
  });

  it("hooks each event of each CLI once, in the files that the CLI reads", () => {
    const shared = read("hooks/hooks.json").hooks;
    const own = read(plugin.hooks).hooks;
    const events = (cli: "claude" | "gemini") => hookEntries[cli].map(({ event }) => event);
    // Gemini CLI complains about an event that it does not know.
    assert.deepEqual(Object.keys(shared).toSorted(), events("gemini").toSorted());
    const both = events("claude").filter((event) => event in shared);
    assert.deepEqual([...both, ...Object.keys(own)].toSorted(), events("claude").toSorted());
    for (const event of both) {
      const [{ hooks }] = shared[event];
      assert.match(hooks[0].command, /^node "\$\{CLAUDE_PLUGIN_ROOT\}\$\{extensionPath\}\/[^"]*"$/);
    }
  });
});
