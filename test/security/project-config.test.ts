import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { codeCache } from "../code-cache.ts";
import { scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { runInThread, runsInThread } from "../script-host.ts";

const scratch = makeScratchFolder();
after(() => removeFolder(scratch));
let count = 0;

/** A clone with this config, and a user with these settings of their own. */
function clone(config: object, own?: string) {
  const folder = join(scratch, String(++count));
  const [project, home] = [join(folder, "project"), join(folder, "home")];
  for (const path of [join(project, ".consulta"), join(home, ".consulta")])
    mkdirSync(path, { recursive: true, mode: 0o700 });
  writeFileSync(join(project, ".consulta/config.json"), JSON.stringify(config));
  if (own !== undefined) writeFileSync(join(home, ".consulta/config.yaml"), own);
  const run = (script: string, args: string[]) => {
    const env = { PATH: process.env["PATH"], HOME: home, XDG_CACHE_HOME: codeCache };
    if (runsInThread(script, args))
      return runInThread({ script, args, input: "", environment: env }, project);
    const words = [scriptPath(script), ...args];
    const options = { cwd: project, env, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
    return { code: status, stdout, stderr };
  };
  const two = ["--participant", "claude", "--participant", "gemini"];
  const open = () => run("init", ["--topic", "Which?", "--session", "talk", ...two]);
  const log = join(project, ".consulta/sessions/talk/events.jsonl");
  return { run, open, log, home };
}

const sooner = { cleanup_completed_sessions_after_days: 1 };
const loose = { max_rounds: 10_000_000, consensus_confidence_threshold: 0 };
const asLoose = "limits: {max_rounds: 10000000, consensus_confidence_threshold: 0}\n";

describe("the config of a clone", () => {
  it("cannot loosen what the user did not", () => {
    for (const config of [
      loose,
      { fallback_mode: "headless" },
      { deadlock_detection_rounds: 4 },
      sooner,
    ]) {
      const at = clone(config);
      const { code, stdout, stderr } = at.open();
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        stderr,
        /^error: config\.json: .* unless you allow "limits: \{.*\}" in ~\/\.consul/,
      );
      assert.equal(at.run("status", []).code, 2);
      assert.match(at.run("doctor", []).stdout, /^FIX {2}config\.json: /m);
    }
  });

  it("has what the user lets projects have, and no more", () => {
    const at = clone(loose, asLoose);
    assert.deepEqual(at.open().stderr, "");
    assert.match(readFileSync(at.log, "utf8"), /"max_rounds":10000000/);
    assert.equal(clone({ ...loose, deadlock_detection_rounds: 4 }, asLoose).open().code, 2);
  });

  it("has nothing of settings that others may write, or that are wrong; the line says why", () => {
    const open = clone(loose, asLoose);
    chmodSync(join(open.home, ".consulta/config.yaml"), 0o666);
    assert.match(open.open().stderr, /max_rounds .* \(\S+config\.yaml may be written by others/);
    const wrong = clone(loose, "limits: {max_rounds: many}\n");
    assert.match(wrong.open().stderr, /limits\.max_rounds is "many", expected a whole number/);
    assert.equal(clone({}, "limits: {max_rounds: many}\n").open().code, 0);
  });
});

describe("the rules of a log that came with a clone", () => {
  const asOpened = /"rules":\{[^}]*\}/;
  const forged =
    '"rules":{"max_rounds":10000000,"consensus_confidence_threshold":0,' +
    '"deadlock_detection_rounds":1000,"auto_escalate_on_deadlock":false}';

  it("count as far as this user lets projects go", () => {
    const at = clone({});
    assert.equal(at.open().code, 0);
    const text = readFileSync(at.log, "utf8");
    const ways: [rules: string, own: string, shown: RegExp, isSound: boolean][] = [
      [asOpened.exec(text)?.[0] ?? "", "", /round 1 of 10\b/, true],
      [forged, "", /round 1 of 10\b/, false],
      [forged, "limits: {max_rounds: 40}\n", /round 1 of 40\b/, false],
      [forged.replace("10000000", "7"), "", /round 1 of 7\b/, false],
      [
        forged,
        "limits: {max_rounds: 10000000, consensus_confidence_threshold: 0, " +
          "deadlock_detection_rounds: 1000, auto_escalate_on_deadlock: false}\n",
        /round 1 of 10000000\b/,
        true,
      ],
    ];
    for (const [rules, own, shown, isSound] of ways) {
      writeFileSync(at.log, text.replace(asOpened, rules));
      writeFileSync(join(at.home, ".consulta/config.yaml"), own, { mode: 0o600 });
      // A log that was changed is not known as one's own: it has to be named.
      const named = ["--session", "talk", "--participant", "claude"];
      assert.match(at.run("next-action", named).stdout, shown);
      // The second look takes what the first one saved.
      assert.match(at.run("status", []).stdout, shown);
      // Where the log was changed by hand, the views of its opening are warned of.
      assert.equal(at.run("validate", []).code !== 2, isSound, rules);
    }
  });

  it("are named by validate with what counts and what would allow them", () => {
    const at = clone({});
    at.open();
    writeFileSync(at.log, readFileSync(at.log, "utf8").replace(asOpened, forged));
    const { stdout } = at.run("validate", []);
    assert.match(
      stdout,
      /max_rounds is 10000000, .*"limits: \{max_rounds: 10000000\}".*; 10 counts/,
    );
    assert.match(stdout, /consensus_confidence_threshold is 0, .*; 0\.85 counts/);
  });
});
