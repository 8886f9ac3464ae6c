import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { findCli } from "../../scripts-src/clis/find-cli.ts";
import { readDrivers } from "../../scripts-src/clis/known-drivers.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const folder = makeScratchFolder();
after(() => removeFolder(folder));
const bin = join(folder, "bin");
const home = join(folder, "home");
const project = join(folder, "project");
mkdirSync(project);
const environment = { PATH: `relative:${bin}:/usr/bin:/bin`, HOME: home };

function put(path: string, text: string, mode = 0o600): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const find = async (name: string, more: Record<string, string> = {}) => {
  const around = { ...environment, ...more };
  const profile = (await readDrivers(around)).find((it) => it.name === name);
  assert(profile !== undefined);
  const { program, version, signedIn, sign, note } = await findCli(profile, around, project);
  return { program, version, signedIn, sign, note };
};

describe("a CLI", () => {
  it("is found with its version, and nothing else is asked of it", async () => {
    const log = join(folder, "asked");
    const program = put(
      join(bin, "codex"),
      `#!/bin/sh\necho "$@" >> ${log}; echo codex-cli 1.2.3\n`,
      0o755,
    );
    const found = await find("codex");
    assert.deepEqual([found.program, found.version], [program, "codex-cli 1.2.3"]);
    assert.equal(readFileSync(log, "utf8"), "--version\n");
  });

  it("is missing where PATH has none, also when the project has one", async () => {
    put(join(folder, "relative", "opencode"), "#!/bin/sh\n", 0o755);
    const found = await find("opencode");
    assert.deepEqual([found.program, found.version], [undefined, undefined]);
  });

  for (const place of [".claude/local", ".local/bin", ".claude/bin"])
    it(`is found where an alias leads to it: ~/${place}`, async () => {
      const program = put(join(home, place, "claude"), "#!/bin/sh\necho 2.1.330\n", 0o755);
      const found = await find("claude");
      assert.deepEqual([found.program, found.version], [program, "2.1.330"]);
      rmSync(program);
    });

  it("is not the project's own, wherever PATH names it, also by a link", async () => {
    const modules = join(project, "node_modules", ".bin");
    put(join(modules, "opencode"), "#!/bin/sh\necho 1\n", 0o755);
    symlinkSync(modules, join(folder, "link"));
    for (const PATH of [modules, join(folder, "link")]) {
      assert.equal((await find("opencode", { PATH })).program, undefined);
    }
  });

  it("has no version when it fails", async () => {
    put(join(bin, "agy"), "#!/bin/sh\necho trouble; exit 1\n", 0o755);
    assert.equal((await find("agy")).version, undefined);
  });

  it("lies at a whole path, or at home", async () => {
    const program = put(join(home, "tools", "mine"), "#!/bin/sh\necho 7\n", 0o755);
    const config = put(
      join(home, ".consulta", "config.yaml"),
      "drivers:\n  mine:\n    command: ~/tools/mine\n    version: [version]\n",
    );
    chmodSync(dirname(config), 0o700);
    assert.deepEqual(await find("mine"), {
      program,
      version: "7",
      signedIn: "unknown",
      sign: undefined,
      note: undefined,
    });
  });

  it("looks signed in by a variable, or by a file at home or where a variable says", async () => {
    assert.equal((await find("codex")).signedIn, "unknown");
    const key = await find("codex", { CODEX_API_KEY: "k" });
    assert.deepEqual([key.signedIn, key.sign], ["yes", "CODEX_API_KEY is set"]);
    const elsewhere = put(join(folder, "codex-home", "auth.json"), "{}");
    assert.equal((await find("codex", { CODEX_HOME: dirname(elsewhere) })).sign, elsewhere);
    const login = put(join(home, ".gemini", "oauth_creds.json"), "{}");
    const gemini = await find("gemini");
    assert.equal(gemini.sign, login);
    assert.match(gemini.note ?? "", /no longer works for personal accounts.*agy/);
    assert.equal((await find("gemini", { GEMINI_API_KEY: "k" })).note, undefined);
  });
});
