import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { checkBrain } from "../../scripts-src/brain/check-brain.ts";
import { ensureRunning } from "../../scripts-src/brain/client/connect-brain.ts";
import { hasCode } from "../log/check-event-log.ts";
import { removeFolder } from "../scratch-folder.ts";
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

const unreachable = (pid: number) =>
  new RegExp(`^fix brain: process ${pid} serves .*user\\.key .*ps -p ${pid};.* kill ${pid}$`);

describe("doctor about a brain", () => {
  it("tells whether it runs, hangs or was killed", async () => {
    assert.equal(await said(), "ok brain: not running; what needs it first starts it");
    const { child, exited } = await place.start();
    const { pid, started } = place.endpoint();
    assert.equal(await said(), `ok brain: runs since ${started}, process ${pid}`);
    child.kill("SIGSTOP");
    assert.match(await said(), unreachable(pid));
    child.kill("SIGKILL");
    await exited;
    assert.equal(await said(), "ok brain: not running; what needs it first starts it");
  });

  it("tells a brain that another home folder's key belongs to", async () => {
    const key = join(homedir(), ".consulta", "user.key");
    const brain = await place.start();
    const { pid } = place.endpoint();
    const own = readFileSync(key, "utf8");
    writeFileSync(key, `${"0".repeat(64)}\n`);
    assert.match(await said(), unreachable(pid));
    const none = { handlers: new Map(), start: () => undefined, startMs: 1 };
    await assert.rejects(ensureRunning(place.folder, none), hasCode("UNAVAILABLE", /user\.key/));
    writeFileSync(key, own);
    brain.child.kill("SIGKILL");
    await brain.exited;
  });

  it("says what is wrong with the key, without which no brain starts", async () => {
    const key = join(homedir(), ".consulta", "user.key");
    chmodSync(key, 0o644);
    assert.match(await said(), /^fix brain: its last start failed: .*may be read by others.*chmod/);
    chmodSync(key, 0o600);
  });

  it("makes no folder, and tells of what was moved aside", async () => {
    removeFolder(join(place.root, "brain"));
    assert.equal(await said(), "ok brain: not running; what needs it first starts it");
    mkdirSync(join(place.root, "brain", "brain.damaged-1.db"), { recursive: true, mode: 0o700 });
    const found = await checkBrain(patient);
    assert(found.some(({ text }) => /brain\.damaged-1\.db is damaged and was moved/.test(text)));
  });
});
