import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, it } from "node:test";
import { scriptPath } from "../../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";

const scratch = makeScratchFolder();
after(() => removeFolder(scratch));

it("a note leaves what others are writing beside it, and drops what proves nothing", () => {
  const home = join(scratch, "home");
  const project = join(scratch, "project");
  const places = join(home, ".consulta", "places");
  for (const folder of [project, places]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const theirs = join(places, `.tmp-${process.pid}-theirs`);
  writeFileSync(theirs, "half a not");
  writeFileSync(join(places, "forged.json"), '{"folder":"/"}');
  const ran = spawnSync(process.execPath, [scriptPath("init"), join(scratch, "board"), "2", "60"], {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, HOME: home, CLAUDECODE: undefined },
  });
  assert.equal(ran.status, 0, ran.stderr);
  assert.ok(existsSync(theirs), "it took away what another process was about to name");
  const notes = readdirSync(places).filter((name) => name.endsWith(".json"));
  assert.equal(notes.length, 1);
  assert.notEqual(notes[0], "forged.json");
});
