import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { after, before, describe, it } from "node:test";
import { readEndpoint } from "../../scripts-src/brain/brain-folder.ts";
import { findBrainNode } from "../brain/brain-node.ts";
import { scriptPath } from "../dialogue/project.ts";
import { until } from "../findings/board.ts";
import { unpack, versions } from "./old-workspace.ts";

const found = await findBrainNode();
assert("path" in found);

for (const version of versions.filter((it) => it >= "0.3")) {
  describe(`a brain of ${version}`, () => {
    const { project, home, remove } = unpack(version);
    after(() => {
      const pid = readEndpoint(project.path("brain"))?.pid;
      if (pid !== undefined) process.kill(pid, "SIGKILL");
      remove();
    });
    const options = {
      cwd: project.folder,
      env: { PATH: dirname(process.execPath), HOME: home },
    };
    before(async () => {
      // It has no mark of its owner yet, so a person has to say once that it is theirs.
      if (version !== "0.3") return;
      const words = [scriptPath("brain"), "serve", "--adopt"];
      spawn(found.path, words, { ...options, stdio: "ignore" });
      await until("the brain", () => readEndpoint(project.path("brain")) !== undefined);
    });
    const brain = (...words: string[]): string => {
      const { status, stdout, stderr } = spawnSync(found.path, [scriptPath("brain"), ...words], {
        ...options,
        encoding: "utf8",
      });
      assert.equal(status, 0, `brain ${words.join(" ")}: ${stderr}`);
      return stdout;
    };

    it("has its memories, finds them by words, and keeps new ones beside them", () => {
      assert.match(brain("retrieve", "decisions/store"), /Events are in files, one line each\./);
      assert.match(brain("retrieve", "--query", "retries limit"), /Retries have a limit of five\./);
      brain("store", "limits/wait", "Waits have a limit of ten.");
      const keys = ["decisions/store", "limits/retry", "limits/wait"];
      // The last is what it learned from the dialogue that ended.
      assert.deepEqual(
        brain("list")
          .match(/^\S+\/\S+/gm)
          ?.sort(),
        ["consulta/ended/decision", ...keys],
      );
    });
  });
}
