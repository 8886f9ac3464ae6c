import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { Project, scriptPath } from "../dialogue/project.ts";
import { plainEnvironment } from "../log/append-loop.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

/** The hook gives up after 4 s. */
const mostMs = 20_000;

let project: Project;
let home: string;
before(() => {
  project = new Project();
  project.open("talk");
  home = makeScratchFolder();
});
after(() => {
  for (const folder of [project.folder, home]) removeFolder(folder);
});

function startHook(): ChildProcessWithoutNullStreams {
  const env = { ...plainEnvironment(), HOME: home };
  return spawn(process.execPath, [scriptPath("hook"), "claude"], { cwd: project.folder, env });
}

async function endOf(
  hook: ChildProcessWithoutNullStreams,
): Promise<[number | null, string | null]> {
  const timer = setTimeout(() => hook.kill("SIGKILL"), mostMs);
  const started = performance.now();
  const [code, signal] = await once(hook, "exit");
  clearTimeout(timer);
  assert(performance.now() - started < mostMs, "it was still there");
  return [code, signal];
}

describe("a hook whose standard input", () => {
  it("holds half an event and never ends is no failure, and told where doctor looks", async () => {
    const hook = startHook();
    hook.stdin.write('{"hook_event_name": "Stop", "of": {"a": "}\\"}"}');
    assert.deepEqual(await endOf(hook), [0, null]);
    assert.match(
      project.read("errors", "hook.txt"),
      /hook claude \?: no whole JSON object came on standard input in 4 s; write the event's JSON /,
    );
  });

  it("comes in pieces is read whole", async () => {
    const hook = startHook();
    // It goes on at the last brace, whether or not the pipe is closed.
    const ended = endOf(hook);
    const text = JSON.stringify({ hook_event_name: "Nothing", filler: "x".repeat(200_000) });
    for (let at = 0; at < text.length; at += 50_000) {
      hook.stdin.write(text.slice(at, at + 50_000));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    hook.stdin.end();
    assert.deepEqual(await ended, [0, null]);
  });
});
