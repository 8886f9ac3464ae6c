import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { bundledFixture } from "../bundled-fixture.ts";
import { codeCache } from "../code-cache.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { blocksOf, root, textOf } from "./documents.ts";

/** What a clone holds for a user; nothing that `npm ci` would bring. */
const cloned = ["dist", "skills", "examples", ".claude", ".gemini", ".consulta", "commands"];
const files = [".claude-plugin", "hooks", "gemini-extension.json"];

/**
 * A home with a clone in it or beside it, and CLIs that play by script. `git clone REPOSITORY` copies
 * the clone; nothing reaches the network.
 */
function play(text: string) {
  const scratch = makeScratchFolder();
  const home = join(scratch, "home");
  const source = join(scratch, "repository");
  mkdirSync(join(home, "shop"), { recursive: true });
  for (const name of [...cloned, ...files])
    cpSync(join(root, name), join(source, name), { recursive: true });
  const bin = join(scratch, "bin");
  mkdirSync(bin);
  const calls = join(scratch, "calls");
  writeFileSync(calls, "");
  for (const name of ["claude", "gemini"]) program(bin, name);
  const clones = text.includes("git clone");
  if (!clones) cpSync(source, join(home, "consulta"), { recursive: true });
  const script = [
    "set -eo pipefail",
    // Where something is missing, as a login is here, doctor says so and ends with 1.
    'node() { command node "$@" || { [[ $1 == */doctor.cjs && $? == 1 ]]; }; }',
    'git() { if [ "$1" = clone ]; then cp -R "$SOURCE" "$3"; else command git "$@"; fi; }',
    ...blocksOf(text, "bash"),
  ].join("\n");
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
    cwd: clones ? home : join(home, "consulta"),
    encoding: "utf8",
    input: "",
    env: {
      PATH: [bin, join(process.execPath, ".."), "/usr/bin", "/bin"].join(":"),
      HOME: home,
      XDG_CACHE_HOME: codeCache,
      TMPDIR: scratch,
      SOURCE: source,
      CONSULTA_FAKE: JSON.stringify({ FAKE_LOG: calls }),
      ANTHROPIC_API_KEY: "none",
      GEMINI_API_KEY: "none",
    },
  });
  removeFolder(scratch);
  return { status, stdout, stderr };
}

/** A CLI whose model answers by script. */
function program(bin: string, name: string): void {
  const path = join(bin, name);
  const fixture = bundledFixture("test/consult/fake-agent.fixture.ts");
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${fixture}" ${name} "$@"\n`);
  chmodSync(path, 0o755);
}

describe("what the documents tell people to type", { concurrency: 2 }, () => {
  const pages = [
    "README.md",
    "docs/getting-started.md",
    "docs/troubleshooting.md",
    "docs/driver.md",
  ];
  for (const page of pages) {
    it(`works from a fresh clone, word for word: ${page}`, { timeout: 600_000 }, () => {
      const { status, stderr } = play(textOf(page));
      assert.equal(status, 0, stderr.slice(-3_000));
    });
  }

  it("sees a command that fails", () => {
    assert.notEqual(play("```bash\nnode dist/gone.cjs\n```\n").status, 0);
  });

  it("names slash commands that there are", () => {
    // Each skill is a command too.
    const names = ["skills", ".claude/commands", ".gemini/commands"].flatMap((folder) =>
      readdirSync(join(root, folder)).map((file) => file.replace(/\.\w+$/, "")),
    );
    for (const page of pages) {
      const typed = [...textOf(page).matchAll(/`\/(consulta[\w-]*)/g)].map(([, name = ""]) => name);
      for (const name of typed) assert(names.includes(name), `${page}: /${name}`);
    }
  });
});
