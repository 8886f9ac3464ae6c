import "../own-home.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readEndpoint } from "../../../scripts-src/brain/endpoint.ts";
import { ended, isGone } from "../../consult/consult-run.ts";
import { decide } from "../../dialogue/finished.ts";
import { Project, scriptPath } from "../../dialogue/project.ts";
import { removeFolder } from "../../scratch-folder.ts";
import { findBrainNode } from "../brain-node.ts";

let node: string;
let project: Project;
before(async () => {
  const found = await findBrainNode();
  assert("path" in found, "NO BRAIN WAS TESTED");
  node = found.path;
});
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await killBrain();
  removeFolder(project.folder);
});

const endpoint = () => readEndpoint(project.path("brain"));

async function killBrain(): Promise<void> {
  const pid = endpoint()?.pid;
  if (pid === undefined) return;
  process.kill(pid, "SIGKILL");
  assert(await isGone(pid));
}

async function brain(...args: string[]) {
  const child = spawn(node, [scriptPath("brain"), ...args], {
    cwd: project.folder,
    env: { PATH: dirname(process.execPath), HOME: homedir() },
  });
  const { exitCode, stdout, stderr } = await ended(child);
  return { exitCode, stdout, stderr };
}

async function keys(): Promise<string[]> {
  const { stdout, stderr } = await brain("list", "consulta/", "--json");
  assert.equal(stderr, "");
  const { memories } = JSON.parse(stdout);
  return memories.map(({ key, link }: Record<string, string>) => `${key} of ${link}`);
}

/** A brain looks every two seconds at most, and answers before it is through when that takes long. */
async function learned(expected: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  while ((await keys()).length === 0 && performance.now() < deadline) await sleep(200);
  assert.deepEqual(await keys(), [expected]);
}

describe("what a session came to", () => {
  it("is in the brain when it is over, found by its words, and stays forgotten", async () => {
    assert.deepEqual(await keys(), []);
    decide(project, "tokens", "Which token library?", "Use jose 5 and rotate keys weekly.");
    await learned("consulta/tokens/decision of tokens");
    assert.match((await brain("list", "consulta/")).stdout, /^consulta\/tokens\/decision {2}\(/);
    const found = await brain("retrieve", "--query", "rotating keys of the token library");
    assert.match(found.stdout, /^<<< (\w+) memory "consulta\/tokens\/decision", .*session tokens/);
    assert.match(found.stdout, /\n\| Use jose 5 and rotate keys weekly\.\n>>> /);
    await brain("forget", "consulta/tokens/*");
    await killBrain();
    decide(project, "queue", "Which queue?", "None.");
    await learned("consulta/queue/decision of queue");
    assert.equal((await brain("retrieve", "consulta/tokens/decision")).exitCode, 1);
  });

  it("is not learned where the brain is switched off, and no command works there", async () => {
    decide(project, "tokens", "Which token library?", "Use jose 5.");
    const path = project.path("config.json");
    const config = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...config, brain: false }));
    for (const args of [["list"], ["status"], ["store", "a", "b"], ["serve"]]) {
      const { exitCode, stdout, stderr } = await brain(...args);
      assert.deepEqual([exitCode, stdout], [2, ""], args.join(" "));
      assert.match(
        stderr,
        /^error: this project's brain is switched off by "brain": false in .*\n$/,
      );
    }
    assert.equal(endpoint(), undefined);
    writeFileSync(path, JSON.stringify(config));
    await learned("consulta/tokens/decision of tokens");
  });
});
