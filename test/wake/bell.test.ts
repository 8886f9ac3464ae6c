import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { isConversation } from "../../scripts-src/clis/cli-process.ts";
import { hooksOf } from "../../scripts-src/clis/hook-entries.ts";
import { draft, scriptPath } from "../dialogue/project.ts";
import {
  type CliName,
  contextIn,
  type FakeCli,
  type Hooked,
  Machine,
  request,
  response,
  turnIn,
} from "./fake-cli.ts";

/** Whoever wrote a file within this time before a look may have written it after. */
const slackMs = 1_100;

interface Fired {
  readonly hooked: Hooked;
  readonly startsNode: boolean;
}

interface Where {
  readonly cwd?: string;
  readonly project?: string;
  readonly fields?: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
}

/** Fires events as the CLIs do, by the command that `install` writes, and sees whether a Node starts. */
class Bell {
  readonly machine = new Machine();
  readonly #bin = join(this.machine.home, "bin");
  readonly #starts = join(this.machine.home, "starts");

  constructor() {
    mkdirSync(this.#bin);
    const lines = [
      "#!/bin/sh",
      `echo start >>'${this.#starts}'`,
      `exec '${process.execPath}' "$@"`,
    ];
    writeFileSync(join(this.#bin, "node"), `${lines.join("\n")}\n`, { mode: 0o755 });
  }

  async fire(cli: FakeCli, name: CliName, event: string, where: Where = {}): Promise<Fired> {
    const { cwd = this.machine.project.folder, project = cwd, fields = {}, env = {} } = where;
    const scripts = dirname(scriptPath("hook"));
    const [group] = hooksOf(name, scripts)[event] ?? [];
    const { command, env: own = {} } = Object(group?.hooks[0]);
    rmSync(this.#starts, { force: true });
    const variable = name === "claude" ? "CLAUDE_PROJECT_DIR" : "GEMINI_PROJECT_DIR";
    const hooked = await cli.hook(event, {
      ...{ command: name === "claude" ? "/bin/sh" : "/bin/bash", words: ["-c", command], cwd },
      fields: { cwd, ...fields },
      env: { PATH: `${this.#bin}:${process.env["PATH"]}`, [variable]: project, ...own, ...env },
    });
    return { hooked, startsNode: existsSync(this.#starts) };
  }

  bellOf(cli: FakeCli): string {
    return join(this.machine.home, ".consulta", "seats", `${cli.pid}.bell`);
  }
}

type Play = (bell: Bell, claude: FakeCli, gemini: FakeCli) => Promise<void>;

/** A machine with both CLIs, on which claude has opened the session `talk`. */
function onBoth(name: string, play: Play): void {
  it(name, async () => {
    const bell = new Bell();
    try {
      const { machine } = bell;
      const [claude, gemini] = [await machine.start("claude"), await machine.start("gemini")];
      await claude.open("talk");
      await play(bell, claude, gemini);
    } finally {
      bell.machine.close();
    }
  });
}

const [tool, prompt, stop] = ["PostToolUse", "UserPromptSubmit", "Stop"];

/** Fires events until nothing is left to tell, and so that what was written before no longer counts as new. */
async function hushed(bell: Bell, claude: FakeCli): Promise<void> {
  await sleep(slackMs);
  await bell.fire(claude, "claude", tool);
  for (const event of [tool, prompt])
    assert(!(await bell.fire(claude, "claude", event)).startsNode, `${event} is not quiet`);
}

/** What gives the model of claude something to do, or may. */
const rings: readonly [name: string, ring: Play][] = [
  [
    "an answer of the peer",
    async (_, _claude, gemini) => void (await gemini.say("talk", response)),
  ],
  [
    "a word of the person",
    async (bell) => {
      const words = ["say", "Mind the licence.", "--session", "talk"];
      const ran = bell.machine.project.run("step-in", words, "", {
        env: { HOME: bell.machine.home },
      });
      assert.equal(ran.code, 0, ran.stderr);
    },
  ],
  [
    "a letter by hand",
    async (bell) => {
      const inbox = bell.machine.project.path("inbox-claude");
      mkdirSync(inbox, { recursive: true });
      writeFileSync(join(inbox, "20260101-000000-gemini.md"), "no letter yet");
    },
  ],
  ["another session", async (_, _claude, gemini) => void (await gemini.open("other"))],
  [
    "a config that changes",
    async (bell) => writeFileSync(bell.machine.project.path("config.json"), '{"brain":false} '),
  ],
  ["its own script", async (_, claude) => void (await claude.next("talk"))],
];

describe("the command of a hook", { concurrency: 8 }, () => {
  for (const [name, ring] of rings) {
    onBoth(`starts Node once after ${name}, and not before`, async (bell, claude, gemini) => {
      await claude.say("talk", request);
      await hushed(bell, claude);
      await ring(bell, claude, gemini);
      assert((await bell.fire(claude, "claude", tool)).startsNode);
      await hushed(bell, claude);
    });
  }

  onBoth("tells of the turn in the middle of a turn, once", async (bell, claude, gemini) => {
    await claude.say("talk", request);
    await hushed(bell, claude);
    await gemini.say("talk", response);
    const inSubagent = { fields: { agent_id: "a1" } };
    assert.equal((await bell.fire(claude, "claude", tool, inSubagent)).hooked.stdout, "");
    const { hooked } = await bell.fire(claude, "claude", tool);
    assert.match(contextIn(hooked, tool), turnIn("talk"));
    for (const event of [tool, prompt])
      assert.equal((await bell.fire(claude, "claude", event)).hooked.stdout, "");
  });

  onBoth("needs none for a stop that nobody waits at", async (bell, claude, gemini) => {
    await claude.say("talk", request);
    await hushed(bell, claude);
    const waits = bell.fire(claude, "claude", stop);
    await gemini.say("talk", draft("ESCALATE", "We need the user."));
    const { hooked } = await waits;
    assert.equal(hooked.code, 2);
    assert.match(hooked.stderr, /session talk has ended/);
    await hushed(bell, claude);
    assert(!(await bell.fire(claude, "claude", stop)).startsNode);
  });

  onBoth("tells at the stop of an end in the middle of a turn", async (bell, claude, gemini) => {
    await claude.say("talk", request);
    await hushed(bell, claude);
    await gemini.say("talk", draft("ESCALATE", "We need the user."));
    for (const event of [tool, prompt]) await bell.fire(claude, "claude", event);
    const { hooked } = await bell.fire(claude, "claude", stop);
    assert.deepEqual([hooked.code, /has ended/.test(hooked.stderr)], [2, true]);
  });

  onBoth("looks again after a look that failed", async (bell, claude, gemini) => {
    await claude.say("talk", request);
    await hushed(bell, claude);
    await gemini.say("talk", response);
    const log = bell.machine.project.path("sessions", "talk", "events.jsonl");
    for (const [path, away, back] of [
      [bell.machine.project.path(), 0o777, 0o755],
      [log, 0o000, 0o600],
    ] as const) {
      const text = readFileSync(log);
      chmodSync(path, away);
      if (path === log) writeFileSync(log, "no log");
      assert.equal((await bell.fire(claude, "claude", tool)).hooked.stdout, "", path);
      if (path === log) writeFileSync(log, text);
      chmodSync(path, back);
      await sleep(slackMs);
      assert((await bell.fire(claude, "claude", "SessionEnd")).startsNode, path);
    }
    const { hooked } = await bell.fire(claude, "claude", tool);
    assert.match(contextIn(hooked, tool), turnIn("talk"));
  });

  onBoth(
    "starts Node for a session whose log came after its folder",
    async (bell, claude, gemini) => {
      await claude.say("talk", request);
      mkdirSync(bell.machine.project.path("sessions", "late"));
      await hushed(bell, claude);
      await gemini.open("late");
      assert((await bell.fire(claude, "claude", tool)).startsNode);
    },
  );

  onBoth("starts Node where it is another folder than before", async (bell, claude) => {
    await hushed(bell, claude);
    const { folder } = bell.machine.project;
    mkdirSync(join(folder, "deep"));
    const deep = { cwd: join(folder, "deep"), project: folder };
    assert((await bell.fire(claude, "claude", tool, deep)).startsNode);
    assert(!(await bell.fire(claude, "claude", tool, deep)).startsNode);
  });

  onBoth("starts Node at each event where no bell can be hung", async (bell, claude) => {
    mkdirSync(bell.bellOf(claude), { recursive: true });
    for (const event of [tool, prompt, prompt])
      assert((await bell.fire(claude, "claude", event)).startsNode, event);
    assert.equal(bell.machine.failure(), "");
  });

  onBoth("starts Node at prompts while another window plays its part", async (bell, claude) => {
    const later = await bell.machine.start("claude");
    await sleep(slackMs);
    await bell.fire(later, "claude", "SessionStart");
    assert(!(await bell.fire(later, "claude", tool)).startsNode);
    await claude.ended();
    const { hooked } = await bell.fire(later, "claude", prompt);
    assert.match(contextIn(hooked, prompt), turnIn("talk"));
  });

  onBoth("starts Node at each prompt for a brain that may listen", async (bell, claude) => {
    const endpoint = bell.machine.project.path("brain", "endpoint.json");
    mkdirSync(dirname(endpoint), { mode: 0o700 });
    writeFileSync(join(dirname(endpoint), "started-in-vain"), "");
    await hushed(bell, claude);
    writeFileSync(bell.machine.project.path("config.json"), "{}");
    assert((await bell.fire(claude, "claude", tool)).startsNode);
    await sleep(slackMs);
    await bell.fire(claude, "claude", tool);
    assert(!(await bell.fire(claude, "claude", tool)).startsNode);
    for (const name of ["bell", "endpoint.json"]) {
      writeFileSync(join(dirname(endpoint), name), "");
      assert((await bell.fire(claude, "claude", tool)).startsNode, name);
    }
  });

  onBoth("does the same in Gemini CLI's shell, and forgets with it", async (bell, _, gemini) => {
    const fire = (event: string) => bell.fire(gemini, "gemini", event);
    const { hooked } = await fire("BeforeAgent");
    assert.equal(hooked.stdout, "", "claude has the turn");
    await sleep(slackMs);
    await fire("AfterTool");
    for (const event of ["AfterTool", "BeforeAgent", "AfterAgent", "SessionEnd"])
      assert(!(await fire(event)).startsNode, event);
    assert((await fire("SessionStart")).startsNode, "its conversation begins anew");
    assert.match(contextIn((await fire("BeforeAgent")).hooked, "BeforeAgent"), /session talk/);
  });
});

/** Folders in which no bell was hung, made below a home; whether a hook must look there. */
const folders: readonly [name: string, names: readonly string[], startsNode: boolean][] = [
  ["in which and above which nothing is", ["deep/er/"], false],
  ["of a repository without a workspace", ["deep/.git/", "deep/er/"], false],
  ["below a workspace", [".consulta/", "deep/er/"], true],
  ["of a repository below a workspace", [".consulta/", "deep/.git/", "deep/er/"], false],
  ["below a home that is a workspace", ["../.consulta/sessions/", "deep/er/"], true],
  ["of a worktree, whose main checkout may have one", ["deep/.git", "deep/er/"], true],
];

describe("a hook in a folder", { concurrency: 6 }, () => {
  for (const [name, made, startsNode] of folders) {
    it(`${name} starts ${startsNode ? "" : "no "}Node`, async () => {
      const bell = new Bell();
      try {
        const root = join(bell.machine.home, "work");
        for (const path of made) {
          mkdirSync(dirname(join(root, `${path}x`)), { recursive: true });
          if (!path.endsWith("/")) writeFileSync(join(root, path), "gitdir: /elsewhere\n");
        }
        mkdirSync(join(bell.machine.home, ".consulta"), { recursive: true });
        const cwd = join(root, "deep/er");
        for (const cli of ["claude", "gemini"] as const) {
          const running = await bell.machine.start(cli);
          const event = cli === "claude" ? tool : "AfterTool";
          const fired = await bell.fire(running, cli, event, { cwd });
          assert.deepEqual([fired.startsNode, fired.hooked.stdout], [startsNode, ""], cli);
        }
      } finally {
        bell.machine.close();
      }
    });
  }

  it("that lies elsewhere than the project starts Node for the project's workspace", async () => {
    const bell = new Bell();
    try {
      const claude = await bell.machine.start("claude");
      const elsewhere = { cwd: bell.machine.home, project: bell.machine.project.folder };
      assert((await bell.fire(claude, "claude", tool, elsewhere)).startsNode);
      const other = await bell.machine.start("claude");
      assert(!(await bell.fire(other, "claude", tool, { cwd: bell.machine.home })).startsNode);
    } finally {
      bell.machine.close();
    }
  });
});

it("a hook of Codex starts Node where something rings for its conversation", async () => {
  const bell = new Bell();
  try {
    const { machine } = bell;
    const [codex, gemini] = [await machine.start("codex"), await machine.start("gemini")];
    const fire = async (event: string) => (await bell.fire(codex, "codex", event)).startsNode;
    assert.equal(await fire("SessionStart"), true);
    await gemini.open("talk");
    assert.equal(await fire(tool), true);
    await sleep(slackMs);
    assert.equal(await fire(tool), true);
    assert.equal(await fire(tool), false);
    await gemini.say("talk", request);
    assert.equal(await fire(tool), true);
    // One that takes part is noted as over, though its process goes on.
    await codex.open("own");
    await codex.next("own");
    await fire(tool);
    await sleep(slackMs);
    assert.deepEqual([await fire(tool), await fire(tool), await fire("SessionEnd")], over);
    const seat = join(machine.home, ".consulta", "seats", `${codex.conversation}.json`);
    assert.match(readFileSync(seat, "utf8"), /^\{"pid":0,/);
  } finally {
    bell.machine.close();
  }
});

const over = [true, false, true];

it("a hook of Codex starts Node for no name that is none of a conversation", async () => {
  const bell = new Bell();
  try {
    const { machine } = bell;
    const [codex, seats] = [await machine.start("codex"), join(machine.home, ".consulta", "seats")];
    mkdirSync(seats, { recursive: true });
    for (const name of [...[7, 8, 44, 45].map((length) => "a".repeat(length)), "it_is_one"]) {
      writeFileSync(join(seats, `${name}.json`), "{}");
      const where = { cwd: machine.home, fields: { session_id: name } };
      const { startsNode } = await bell.fire(codex, "codex", tool, where);
      assert.equal(startsNode, isConversation(name), name);
    }
  } finally {
    bell.machine.close();
  }
});

it("a turn of consult starts no Node", async () => {
  const bell = new Bell();
  try {
    const claude = await bell.machine.start("claude");
    for (const name of ["CONSULTA_FOLDER", "CONSULTA_BRAIN_CHILD"])
      assert(!(await bell.fire(claude, "claude", stop, { env: { [name]: "1" } })).startsNode, name);
  } finally {
    bell.machine.close();
  }
});
