import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { recordOf, scriptPath } from "../dialogue/project.ts";
import { type FakeCli, given, Machine, onMachine } from "./fake-cli.ts";

const nothing = { code: 0, stdout: "", stderr: "" };
const events = ["SessionStart", "UserPromptSubmit", "Stop"];

/** Asserts that no event of Claude Code has any effect. */
async function checkQuiet(claude: FakeCli, more: Parameters<FakeCli["hook"]>[1] = {}) {
  for (const event of events)
    assert.deepEqual(await given(claude.hook(event, more)), nothing, event);
}

describe("a hook", { concurrency: 3 }, () => {
  it(
    "does nothing in a turn of consult, for which nobody takes a seat either",
    onMachine("claude", async (machine, claude) => {
      const inTurn = { CONSULTA_FOLDER: machine.project.path("sessions", "talk") };
      await checkQuiet(claude, { env: inTurn });
      const other = await machine.start("claude", inTurn);
      await other.next("talk");
      assert.throws(() => readFileSync(machine.seatFile(other)), /ENOENT/);
    }),
  );

  it(
    "does nothing for an event that it does not know",
    onMachine("claude", async (machine, claude) => {
      for (const event of ["SubagentStop", "PreToolUse", "AfterAgent", "toString"])
        assert.deepEqual(await given(claude.hook(event)), nothing, event);
      assert.equal(machine.failure(), "");
    }),
  );

  for (const input of ["", "{", "[]", '"Stop"', "\u0000", '{"hook_event_name":']) {
    it(
      `keeps to itself that it cannot read ${JSON.stringify(input)}`,
      onMachine("claude", async (machine, claude) => {
        assert.deepEqual(await given(claude.hook("Stop", { input })), nothing);
        assert.match(machine.failure(), /^\d{4}-\S+Z hook claude \?: .+\n$/);
      }),
    );
  }

  it("does nothing where there is no workspace and no seat, and leaves nothing behind", async () => {
    const machine = new Machine();
    try {
      rmSync(machine.project.path(), { recursive: true });
      const claude = await machine.start("claude");
      const before = machine.project.listing();
      await checkQuiet(claude);
      assert.deepEqual(machine.project.listing(), before);
      assert.throws(() => readFileSync(join(machine.home, ".consulta")), /ENOENT/);
    } finally {
      machine.close();
    }
  });

  it("does not take the user's own ~/.consulta for a workspace", async () => {
    const machine = new Machine();
    try {
      mkdirSync(join(machine.home, "work", "deep"), { recursive: true });
      const claude = await machine.start("claude");
      await claude.open("talk");
      const cwd = join(machine.home, "work", "deep");
      await claude.ended();
      const later = await machine.start("claude");
      await checkQuiet(later, { cwd, fields: { cwd } });
      const who = ["--participant", "claude", "--participant", "gemini"];
      const opened = await later.run("init", ["--topic", "Here", ...who], "", { cwd });
      assert.match(opened, new RegExp(`in ${cwd}/\\.consulta\n`));
    } finally {
      machine.close();
    }
  });

  it(
    "finds the project by its variable, and the session by its seat, from any folder",
    onMachine("claude", async (machine, claude) => {
      const cwd = machine.home;
      const { stderr } = await claude.hook("Stop", { cwd, fields: { cwd } });
      assert.match(stderr, new RegExp(`--workspace ${machine.project.folder} --session talk`));
      const other = await machine.start("claude", { CLAUDE_PROJECT_DIR: machine.project.folder });
      await claude.ended();
      const { stdout } = await other.hook("SessionStart", { cwd, fields: { cwd } });
      assert.match(stdout, /session talk/);
    }),
  );

  for (const named of [false, true]) {
    it(
      `goes by what the CLI says where its own folder is gone${named ? ", and by the project's" : ""}`,
      onMachine("claude", async (machine, claude) => {
        const gone = join(machine.home, "gone");
        const hook = `"${process.execPath}" "${scriptPath("hook")}" claude`;
        const script = `mkdir -p "${gone}" && cd "${gone}" && rmdir "${gone}" && exec ${hook}`;
        const words = ["-c", script];
        const call = named
          ? { fields: { cwd: gone }, env: { CLAUDE_PROJECT_DIR: machine.project.folder } }
          : {};
        const ran = await claude.hook("SessionStart", { command: "sh", words, ...call });
        assert.deepEqual([ran.code, ran.stderr], [0, ""]);
        assert.match(ran.stdout, /session talk \(dialogue\): your turn/);
        // Then nothing is left to go by.
        const lost = { command: "sh", words, fields: { cwd: gone } };
        assert.deepEqual(await given(claude.hook("Stop", lost)), nothing);
      }),
    );
  }

  it(
    "is of no session in a folder whose name would turn the letters of a line round",
    onMachine("claude", async (machine, claude) => {
      for (const mark of ["\u202e", "\u2066", "\u200f", "\u061c"]) {
        const folder = join(machine.project.folder, "docs", `a${mark}b`);
        const who = ["--participant", "claude", "--participant", "gemini"];
        const about = ["--objective", "Agree", "--completion", "Listed"];
        await claude.run("init", [...about, ...who, "--folder", folder]);
      }
      const { stderr } = await claude.hook("Stop");
      assert.match(stderr, /^Consulta: you have the turn in session talk\. [^\n]+\n$/);
      const { stdout } = await claude.hook("SessionStart");
      assert.match(stdout, /session talk/);
      assert.doesNotMatch(stdout, /docs/);
    }),
  );

  it(
    "is not disturbed by a wrong config, a damaged seats file, or a seat of another run",
    onMachine("claude", async (machine, claude) => {
      const sound = readFileSync(machine.seatFile(claude), "utf8");
      const reused = JSON.stringify({ ...recordOf(sound), started: "1" });
      for (const text of ["", "{", "[]", "null", '{"pid":1}', '{"seats":[7]}', reused]) {
        writeFileSync(machine.seatFile(claude), text);
        assert.deepEqual(await given(claude.hook("Stop")), nothing, text);
      }
      await claude.next("talk");
      assert.equal((await claude.hook("Stop")).code, 2, "the next script takes the seat anew");
      assert.equal(machine.failure(), "");
      writeFileSync(machine.project.path("config.json"), '{"max_rounds": "many"}');
      await checkQuiet(claude);
      assert.match(machine.failure(), /hook claude Stop: config\.json: max_rounds is "many"/);
    }),
  );

  it("does without seats where the home cannot be written", async () => {
    const machine = new Machine();
    try {
      writeFileSync(join(machine.home, ".consulta"), "a file is in the way");
      const claude = await machine.start("claude");
      await claude.open("talk");
      await claude.next("talk");
      assert.deepEqual(await given(claude.hook("Stop")), nothing);
      // Nor can a key be kept there, which tells the user's sessions from those of a clone.
      assert.deepEqual(await given(claude.hook("SessionStart")), nothing);
      const env = { CONSULTA_ALLOW_SHARED: "1" };
      const { stdout } = await claude.hook("SessionStart", { env });
      assert.match(stdout, /session talk \(dialogue\): your turn/);
    } finally {
      machine.close();
    }
  });

  it(
    "refuses a CLI that it does not know, never with the code that means go on",
    onMachine("claude", async (_machine, claude) => {
      for (const given of [["codex"], ["claude", "gemini"], ["claude", "--fast"]]) {
        const words = [scriptPath("hook"), ...given];
        const { code, stdout, stderr } = await claude.hook("Stop", { words });
        assert.deepEqual([code, stdout], [64, ""]);
        assert.match(stderr, /error: /);
      }
    }),
  );

  it(
    "is of the CLI that its command names, and of no other",
    onMachine("claude", async (_machine, claude) => {
      const words = [scriptPath("hook")];
      const { code, stderr } = await claude.hook("SessionStart", { words });
      assert.equal(code, 64);
      assert.match(stderr, /^error: missing required argument 'cli'; use it as: hook <cli>/);
      const wrong = await claude.hook("SessionStart", { words: [...words, "cluade"] });
      assert.match(wrong.stderr, /^error: "cluade" is no CLI with hooks; did you mean claude\?/);
    }),
  );
});
