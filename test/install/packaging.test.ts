import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { compilePage } from "../../build/compile-page.ts";
import { cliFacts } from "../../scripts-src/clis/hook-entries.ts";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { filesBelow } from "../../scripts-src/pack/pack.ts";
import { pageHtml } from "../../scripts-src/view/page-html.ts";
import { repository } from "./machine.ts";

function textOf(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

function read(path: string) {
  return JSON.parse(textOf(path));
}

const { name, version } = read("package.json");
const plugin = read("skills/.claude-plugin/plugin.json");
const marketplace = read(".claude-plugin/marketplace.json");
const extension = read("gemini-extension.json");

describe("packaging", () => {
  it("has one name and one version everywhere, that of package.json", () => {
    const [entry] = marketplace.plugins;
    const copies = ["dist", ...skillNames.map((skill) => `skills/${skill}/scripts`)];
    const stamps = copies.map((folder) => textOf(`${folder}/consulta.cjs`).split("*/", 1)[0]);
    for (const it of [plugin, entry, extension]) {
      assert.deepEqual([it.name, it.version], [name, version]);
    }
    assert.equal(marketplace.metadata.version, version);
    assert.equal(new Set(stamps).size, 1);
    assert.match(stamps[0] ?? "", new RegExp(` consulta ${version}$`));
  });

  it("gives the plugin every slash command of Claude Code, and the extension every one of Gemini CLI", () => {
    const copies = [
      [".claude/commands", "skills/.claude-plugin/commands"],
      [".gemini/commands", "commands"],
    ] as const;
    for (const [source, copy] of copies) {
      assert.deepEqual(filesBelow(join(repository, copy)), filesBelow(join(repository, source)));
      for (const file of filesBelow(join(repository, source)))
        assert.equal(textOf(`${copy}/${file}`), textOf(`${source}/${file}`));
    }
    const commands = filesBelow(join(repository, ".claude/commands"));
    assert.deepEqual(
      plugin.commands,
      commands.map((file) => `./.claude-plugin/commands/${file}`),
    );
  });

  it("hooks each event of each CLI once, by a script that the package has", () => {
    const packaged = { claude: ["skills", plugin.hooks], gemini: [".", "hooks/hooks.json"] };
    for (const [cli, [root = "", path]] of Object.entries(packaged)) {
      const { hooks } = read(join(root, path));
      const wanted = cliFacts[cli === "claude" ? "claude" : "gemini"].events;
      assert.deepEqual(
        Object.keys(hooks),
        wanted.map(({ event }) => event),
      );
      for (const [group] of Object.values<[{ hooks: { command: string }[] }]>(hooks)) {
        const [, script = ""] =
          /^node "\$\{\w+\}\/([^"]*)" (?:claude|gemini)$/.exec(group.hooks[0]?.command ?? "") ?? [];
        assert(existsSync(join(repository, root, script)), script);
      }
    }
  });

  it("carries what the CLIs need and nothing else", () => {
    assert.equal(marketplace.plugins[0].source, "./skills");
    const skills = readdirSync(join(repository, "skills")).filter((it) => !it.startsWith("."));
    assert.deepEqual(skills.toSorted(), [...skillNames].toSorted());
    const words = String(read("package.json").scripts.extension).split(" HEAD ")[1] ?? "";
    const parts = words.split(" ").map((word) => word.replaceAll("'", ""));
    const listed = execFileSync("git", ["archive", "HEAD", ...parts], {
      cwd: repository,
      ...large,
    });
    const names = execFileSync("tar", ["t"], { input: listed, encoding: "utf8", ...large });
    const tops = new Set(
      names
        .trim()
        .split("\n")
        .map((name) => name.split("/")[0]),
    );
    const wanted = ["LICENSE", "README.md", "commands", "gemini-extension.json", "hooks", "skills"];
    assert.deepEqual([...tops].toSorted(), wanted.toSorted());
    assert.doesNotMatch(names, /(?:claude|codex)-plugin/);
    assert.match(names, /^skills\/consulta\/scripts\/bell\.sh$/m);
  });
});

/** As `bench/view.ts` counts them, and with its limits. */
describe("the page of view", () => {
  it("has at most 90 kB, and 30 by gzip", async () => {
    const texts = [pageHtml, await compilePage("script"), await compilePage("style")];
    const files = texts.map((text) => Buffer.from(text));
    const whole = bytesOf(files);
    const small = bytesOf(files.map((file) => gzipSync(file, { level: 9 })));
    assert(whole <= 90_000, `${whole} bytes`);
    assert(small <= 30_000, `${small} bytes by gzip`);
  });
});

function bytesOf(files: readonly Buffer[]): number {
  return files.reduce((sum, { length }) => sum + length, 0);
}

const large = { maxBuffer: 64 << 20 };
