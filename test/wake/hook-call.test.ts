import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { recordOf, scriptPath } from "../dialogue/project.ts";
import { plainEnvironment } from "../log/append-loop.ts";
import { checkQuiet, type FakeCli, Machine, onClaude } from "./fake-cli.ts";

/** Asserts that no event of Claude Code has any effect. */
async function checkAllQuiet(claude: FakeCli, more: Parameters<FakeCli["hook"]>[1] = {}) {
  for (const event of ["SessionStart", "UserPromptSubmit", "Stop"])
    await checkQuiet(claude, event, more);
}

/** A machine without a session, in which what is in the way is made first. */
function onBareMachine(name: string, play: (machine: Machine) => Promise<void>): void {
  it(name, async () => {
    const machine = new Machine();
    try {
      await play(machine);
    } finally {
      machine.close();
    }
  });
}

describe("a hook", { concurrency: 3 }, () => {
  onClaude("does nothing in a turn of consult", async (machine, claude) => {
    const inTurn = { CONSULTA_FOLDER: machine.project.path("sessions", "talk") };
    await checkAllQuiet(claude, { env: inTurn });
    const other = await machine.start("claude", inTurn);
    await other.next("talk");
    assert.throws(() => readFileSync(machine.seatFile(other)), /ENOENT/);
  });

  onClaude("does nothing for an unknown event", async (machine, claude) => {
    for (const event of ["PreToolUse", "AfterAgent", "toString"]) await checkQuiet(claude, event);
    assert.equal(machine.failure(), "");
  });

  onClaude("keeps to itself that its input is wrong", async (machine, claude) => {
    for (const input of ["", "{", "[]", "\u0000"]) {
      await checkQuiet(claude, "Stop", { input });
      assert.match(machine.takeFailure(), /^\d{4}-\S+Z hook claude \?: .+\n$/);
    }
  });

  onBareMachine("leaves nothing behind without a workspace", async (machine) => {
    rmSync(machine.project.path(), { recursive: true });
    const claude = await machine.start("claude");
    const before = machine.project.listing();
    await checkAllQuiet(claude);
    assert.deepEqual(machine.project.listing(), before);
    assert.throws(() => readFileSync(join(machine.home, ".consulta")), /ENOENT/);
  });

  onBareMachine("takes no ~/.consulta for a workspace", async (machine) => {
    const cwd = join(machine.home, "work", "deep");
    mkdirSync(cwd, { recursive: true });
    const claude = await machine.start("claude");
    await claude.open("talk");
    await claude.ended();
    const later = await machine.start("claude");
    await checkAllQuiet(later, { cwd, fields: { cwd } });
  });

  onClaude("finds project and session from any folder", async (machine, claude) => {
    const cwd = machine.home;
    const { stderr } = await claude.hook("Stop", { cwd, fields: { cwd } });
    assert.match(stderr, new RegExp(`--workspace ${machine.project.folder} --session talk`));
    const other = await machine.start("claude", { CLAUDE_PROJECT_DIR: machine.project.folder });
    await claude.ended();
    const told = await other.told("SessionStart", { cwd, fields: { cwd } });
    assert.match(told, /session talk/);
  });

  onClaude("goes elsewhere when its own folder is gone", async (machine, claude) => {
    const gone = join(machine.home, "gone");
    const hook = `"${process.execPath}" "${scriptPath("hook")}" claude`;
    const words = ["-c", `mkdir -p "${gone}" && cd "${gone}" && rmdir "${gone}" && exec ${hook}`];
    const shell = { command: "sh", words };
    const named = {
      fields: { cwd: gone },
      env: { CLAUDE_PROJECT_DIR: machine.project.folder },
    };
    for (const more of [{}, named])
      assert.match(await claude.told("SessionStart", { ...shell, ...more }), /session talk/);
    // Then nothing is left to go by.
    await checkQuiet(claude, "Stop", { ...shell, fields: { cwd: gone } });
  });

  onClaude("leaves out a folder with a hidden sign", async (machine, claude) => {
    for (const mark of ["\u202e", "\u200f"]) {
      const folder = join(machine.project.folder, "docs", `a${mark}b`);
      const who = ["--participant", "claude", "--participant", "gemini"];
      const about = ["--objective", "Agree", "--completion", "Listed"];
      await claude.run("init", [...about, ...who, "--folder", folder]);
    }
    const { stderr } = await claude.hook("Stop");
    assert.match(stderr, /^Consulta: you have the turn in session talk\. [^\n]+\n$/);
    const told = await claude.told("SessionStart");
    assert.match(told, /session talk/);
    assert.doesNotMatch(told, /docs/);
  });

  onClaude("survives damaged registrations and configs", async (machine, claude) => {
    const sound = readFileSync(machine.seatFile(claude), "utf8");
    const reused = JSON.stringify({ ...recordOf(sound), started: "1" });
    for (const text of ["", "[]", '{"pid":1}', '{"seats":[7]}', reused]) {
      writeFileSync(machine.seatFile(claude), text);
      await checkQuiet(claude, "Stop");
    }
    await claude.next("talk");
    assert.equal((await claude.hook("Stop")).code, 2, "the next script registers anew");
    assert.equal(machine.failure(), "");
    writeFileSync(machine.project.path("config.json"), '{"max_rounds": "many"}');
    await checkAllQuiet(claude);
    assert.match(machine.failure(), /hook claude Stop: config\.json: max_rounds is "many"/);
  });

  onBareMachine("does without a home that can be written", async (machine) => {
    writeFileSync(join(machine.home, ".consulta"), "a file is in the way");
    const claude = await machine.start("claude");
    await claude.open("talk");
    await claude.next("talk");
    // Nor can a key be kept there, which tells the user's sessions from those of a clone.
    for (const event of ["Stop", "SessionStart"]) await checkQuiet(claude, event);
    const told = await claude.told("SessionStart", { env: { CONSULTA_ALLOW_SHARED: "1" } });
    assert.match(told, /session talk \(dialogue\): your turn/);
  });

  onClaude("rejects unknown CLIs, not by the code to go on", async (_machine, claude) => {
    const wrong: [words: string[], reason: RegExp][] = [
      [[], /missing required argument 'cli'; use it as: hook <cli>/],
      [["cluade"], /"cluade" is no CLI with hooks; did you mean claude\?/],
      [["claude", "gemini"], /./],
      [["claude", "--fast"], /./],
    ];
    for (const [words, reason] of wrong) {
      const ran = await claude.hook("Stop", { words: [scriptPath("hook"), ...words] });
      assert.deepEqual([ran.code, ran.stdout], [64, ""]);
      assert.match(ran.stderr, /^error: /);
      assert.match(ran.stderr, reason);
    }
  });
});

describe("a hook whose standard input", () => {
  /** The hook gives up after 4 s. */
  const mostMs = 20_000;

  function startHook({ project, home }: Machine): ChildProcessWithoutNullStreams {
    const env = { ...plainEnvironment(), HOME: home };
    return spawn(process.execPath, [scriptPath("hook"), "claude"], { cwd: project.folder, env });
  }

  async function checkEnds(hook: ChildProcessWithoutNullStreams): Promise<void> {
    const timer = setTimeout(() => hook.kill("SIGKILL"), mostMs);
    const ended = await once(hook, "exit");
    clearTimeout(timer);
    assert.deepEqual(ended, [0, null]);
  }

  onBareMachine("never ends is no failure, and noted", async (machine) => {
    const hook = startHook(machine);
    hook.stdin.write('{"hook_event_name": "Stop", "of": {"a": "}\\"}"}');
    await checkEnds(hook);
    assert.match(
      machine.failure(),
      /hook claude \?: no whole JSON object came on standard input in 4 s; write the event's JSON /,
    );
  });

  onBareMachine("comes in pieces is read whole", async (machine) => {
    const hook = startHook(machine);
    // It goes on at the last brace, whether or not the pipe is closed.
    const ended = checkEnds(hook);
    const text = JSON.stringify({ hook_event_name: "Nothing", filler: "x".repeat(200_000) });
    for (let at = 0; at < text.length; at += 50_000) {
      hook.stdin.write(text.slice(at, at + 50_000));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    hook.stdin.end();
    await ended;
    assert.equal(machine.failure(), "");
  });
});
