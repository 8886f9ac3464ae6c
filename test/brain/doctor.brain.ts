import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { checkBrain } from "../../scripts-src/brain/check-brain.ts";
import { removeFolder } from "../store/scratch-folder.ts";
import { BrainPlace } from "./brain-process.ts";

const place = new BrainPlace();
after(() => place.remove());

const patient = {
  project: place.project,
  home: place.project,
  environment: { PATH: "" },
  scripts: "dist",
  line: (script: string, ...words: string[]) => [`node ${script}.cjs`, ...words].join(" "),
};

/** What doctor says of the brain itself; the rest depends on the machine. */
async function said(): Promise<string> {
  const [first] = await checkBrain(patient);
  return [first?.level, first?.text, first?.command].filter(Boolean).join(" ");
}

describe("doctor about a brain", () => {
  it("tells whether it runs, hangs or was killed", async () => {
    assert.equal(await said(), "ok brain: not running; what needs it first starts it");
    const { child, exited } = await place.start();
    const { pid, started } = place.endpoint();
    assert.equal(await said(), `ok brain: runs since ${started}, process ${pid}`);
    child.kill("SIGSTOP");
    assert.equal(await said(), `fix brain: process ${pid} lives and does not answer kill ${pid}`);
    child.kill("SIGKILL");
    await exited;
    assert.equal(await said(), "ok brain: not running; what needs it first starts it");
  });

  it("makes no folder, and tells of what was moved aside", async () => {
    removeFolder(join(place.root, "brain"));
    assert.equal(await said(), "ok brain: not running; what needs it first starts it");
    mkdirSync(join(place.root, "brain", "brain.damaged-1.db"), { recursive: true, mode: 0o700 });
    const found = await checkBrain(patient);
    assert(found.some(({ text }) => /brain\.damaged-1\.db is damaged and was moved/.test(text)));
  });
});
