import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pluginFile, projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { Machine } from "./machine.ts";

const other = ".opencode/plugin/other.js";
const foreign = "export const Other = async () => ({});\n";

describe("the plugin file of OpenCode", () => {
  it("comes and goes with the hooks, and others' stay", () => {
    const machine = new Machine();
    machine.write(other, foreign);
    machine.run("install");
    assert(!existsSync(join(machine.project, pluginFile)), "without --hooks there is none");
    assert.equal(machine.run("install", ["--hooks"]).code, 0);
    assert.match(machine.read(pluginFile), /scripts\/opencode\.mjs"/);
    assert.match(machine.run("install", ["--hooks"]).stdout, /nothing to do/);
    assert.match(machine.run("doctor").stdout, /^ok {3}plugin of OpenCode: set up, from \S+$/m);
    assert.equal(machine.run("install", ["--remove", "--hooks"]).code, 0);
    assert(!existsSync(join(machine.project, pluginFile)));
    assert.match(machine.run("doctor").stdout, /^note plugin of OpenCode: not there, .* --hooks$/m);
    assert.equal(machine.read(other), foreign);
    assert(existsSync(join(machine.project, projectScripts, "opencode.mjs")));
  });

  it("leaves no folder behind that was not there", () => {
    const machine = new Machine();
    machine.run("install", ["--hooks"]);
    assert.equal(machine.run("install", ["--remove"]).code, 0);
    assert(!existsSync(join(machine.project, ".opencode")));
  });

  it("is named by doctor where what it loads is not there", () => {
    const machine = new Machine();
    machine.run("install", ["--hooks"]);
    rmSync(join(machine.project, projectScripts, "opencode.mjs"));
    assert.match(
      machine.run("doctor").stdout,
      /^FIX .*it loads \S+opencode\.mjs, which is not there/m,
    );
  });

  it("is its user's once they have changed it", () => {
    const machine = new Machine();
    machine.run("install", ["--hooks"]);
    const changed = `${machine.read(pluginFile)}export const mine = async () => ({});\n`;
    machine.write(pluginFile, changed);
    for (const words of [[], ["--remove"]]) {
      assert.equal(machine.run("install", words).code, 0);
      assert.equal(machine.read(pluginFile), changed);
    }
  });

  it("is refused in one line where another's has its name, and that is kept", () => {
    const machine = new Machine();
    machine.write(pluginFile, foreign);
    const { code, stderr } = machine.run("install", ["--hooks"]);
    assert.equal(code, 2);
    const line =
      /^error: \.opencode\/plugin\/consulta\.js: it is none of ours, .*nothing was written\n$/;
    assert.match(stderr, line);
    assert(!existsSync(join(machine.project, ".claude/settings.json")));
    for (const words of [[], ["--remove"]]) {
      assert.equal(machine.run("install", words).code, 0);
      assert.equal(readFileSync(join(machine.project, pluginFile), "utf8"), foreign);
    }
  });
});
