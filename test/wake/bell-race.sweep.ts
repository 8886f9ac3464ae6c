import assert from "node:assert/strict";
import { type ChildProcess, fork, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { bellPath, brainPath, ringBell } from "../../scripts-src/brain/endpoint.ts";
import { hooksOf } from "../../scripts-src/clis/hook-entries.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { draft, recordOf, scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { type FakeCli, Machine, type Running, request, until } from "./fake-cli.ts";

const ringsMin = Number(process.env["CONSULTA_RINGS"] ?? "10000");
const machines = 5;
/** Answers that real hooks tell of, and how many one session has. */
const answers = Math.ceil(ringsMin / 250);
const answersEach = 4;
/** A bell rings for that long after a look for what was written before it. */
const slackMs = 1_000;
/** So many events of a CLI may come at once: tools of which it does not await the hooks, and prompts. */
const eventsAtOnce = 2;

type Answer = "rings" | "quiet";

/** Says in place of Node that the shell has found something to do for it. */
function makeStandIn(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "node"), "#!/bin/sh\necho rings\n", { mode: 0o755 });
  return folder;
}

const [group] = hooksOf("claude", dirname(scriptPath("hook")))["PostToolUse"] ?? [];
const { command } = Object(group?.hooks[0]);

interface Where {
  readonly project: string;
  readonly home: string;
  readonly standIn: string;
  readonly pid: number;
}

/** What the shell of a CLI finds at an event, by the command that `install` writes. */
async function answerAt({ project, home, standIn, pid }: Where): Promise<Answer> {
  const env = {
    PATH: `${standIn}:${process.env["PATH"]}`,
    HOME: home,
    CLAUDE_PID: String(pid),
    CLAUDE_PROJECT_DIR: project,
  };
  const child = spawn("/bin/sh", ["-c", command], { cwd: project, env, stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (said += part));
  const code = await new Promise((settle) => child.on("close", settle));
  assert.equal(code, 0);
  assert.match(said, /^(?:rings\n)?$/);
  return said === "" ? "quiet" : "rings";
}

/** How much was written, or seen, of the log of a session and of what the brain has to tell. */
interface Rung {
  readonly events: number;
  readonly told: number;
}

/** A CLI with hooks that look only where the shell says so, and are killed, while everything it listens to rings. */
class Raced {
  readonly count = { rings: 0, quiet: 0, looks: 0, killed: 0 };
  /** What a shell was quiet about though no look had seen it. */
  readonly lost: string[] = [];
  readonly #where: Where;
  readonly #log: string;
  readonly #brain: string;
  readonly #news: string;
  #rung: Rung = { events: 0, told: 0 };
  #isOver = false;

  constructor(folder: string) {
    const [project, home] = [join(folder, "project"), join(folder, "home")];
    const standIn = makeStandIn(join(folder, "bin"));
    this.#where = { project, home, standIn, pid: process.pid };
    const root = join(project, ".consulta");
    this.#log = join(root, "sessions", "talk", "events.jsonl");
    this.#brain = brainPath(root);
    this.#news = join(this.#brain, "news");
    for (const path of [this.#log, this.#news, join(home, ".consulta", "seats", "x")])
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, "config.json"), '{"brain":false}');
    for (const path of [this.#log, this.#news, bellPath(this.#brain)]) writeFileSync(path, "");
  }

  /** Bursts with pauses about as long as a bell's slack: what rings comes just when the shell falls silent. */
  async play(rings: number): Promise<void> {
    const events = Array.from({ length: eventsAtOnce }, () => this.#fire());
    try {
      while (this.count.rings < rings && this.lost.length === 0) {
        for (let left = 1 + Math.random() * 60; left > 0; left -= 1) {
          this.#ring();
          if (Math.random() < 0.7) await sleep(Math.random() * 20);
        }
        await sleep(slackMs * (0.9 + Math.random()));
      }
      const { quiet } = this.count;
      await until("the shell is quiet", () => this.count.quiet > quiet + eventsAtOnce);
    } finally {
      this.#isOver = true;
    }
    await Promise.all(events);
  }

  #ring(): void {
    const { events, told } = this.#rung;
    if (Math.random() < 0.6) {
      appendFileSync(this.#log, "e");
      this.#rung = { events: events + 1, told };
    } else {
      appendFileSync(this.#news, "n");
      ringBell(this.#brain);
      this.#rung = { events, told: told + 1 };
    }
    this.count.rings += 1;
  }

  /** One event after the other, of which each that rings starts a look. */
  async #fire(): Promise<void> {
    const looker = new Looker(this.#where, [this.#log, this.#news]);
    try {
      while (!this.#isOver) {
        await sleep(10 + Math.random() * 50);
        if ((await this.#check()) === "quiet") continue;
        this.count.looks += 1;
        if ((await looker.look()) === "killed") this.count.killed += 1;
      }
    } finally {
      looker.end();
    }
  }

  async #check(): Promise<Answer> {
    const rung = this.#rung;
    // A look that ends meanwhile may hang another.
    const before = this.#seen();
    const answer = await answerAt(this.#where);
    const after = this.#seen();
    if (answer === "quiet") this.count.quiet += 1;
    const events = Math.max(before.events, after.events);
    const told = Math.max(before.told, after.told);
    if (answer === "quiet" && (events < rung.events || told < rung.told))
      this.lost.push(JSON.stringify({ rung, seen: { events, told } }));
    return answer;
  }

  /** What the look saw that hung the bell which hangs now. */
  #seen(): Rung {
    try {
      const { home, pid } = this.#where;
      const bell = readFileSync(join(home, ".consulta", "seats", `${pid}.bell`), "utf8");
      const [, events, told] = /^\/seen\/(\d+)\/(\d+)\//m.exec(bell) ?? [];
      return { events: Number(events), told: Number(told) };
    } catch {
      return { events: 0, told: 0 };
    }
  }
}

/** A process that looks. It is killed at some moment, and started again for the next look. */
class Looker {
  readonly #where: Where;
  readonly #words: readonly string[];
  #child: ChildProcess;

  constructor(where: Where, words: readonly string[]) {
    this.#where = where;
    this.#words = words;
    this.#child = this.#start();
  }

  look(): Promise<"hung" | "killed"> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) this.#child = this.#start();
    const looks = this.#child;
    return new Promise((settle) => {
      const hung = () => end("hung");
      const killed = () => end("killed");
      const end = (how: "hung" | "killed") => {
        looks.off("message", hung).off("exit", killed);
        settle(how);
      };
      looks.once("message", hung).once("exit", killed);
      // It may be dying.
      looks.send("look", () => undefined);
    });
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  #start(): ChildProcess {
    const { project, home, pid } = this.#where;
    const child = fork(bundledFixture("test/wake/bell-looker.fixture.ts"), this.#words, {
      cwd: project,
      env: { HOME: home, CLAUDE_PID: String(pid) },
      execArgv: [],
    });
    child.on("exit", (code) => assert.equal(code, null, "a look fails"));
    setTimeout(() => child.kill("SIGKILL"), Math.random() * 6_000).unref();
    return child;
  }
}

/**
 * A session between two CLIs in which claude is told of each answer by real hooks, which look only where the shell
 * says so, and are killed at some moment.
 */
class RealRace {
  readonly count = { quiet: 0, looks: 0, killed: 0 };
  readonly lost: string[] = [];
  readonly #machine: Machine;
  readonly #claude: FakeCli;
  readonly #gemini: FakeCli;
  readonly #where: Where;
  readonly #brain: string;
  #sessions = 0;
  /** The answer that claude has not replied to. */
  #due: { readonly session: string; readonly seq: number } | undefined;
  /** How long a hook takes that lives. */
  #wholeMs = 500;
  #isOver = false;

  constructor(machine: Machine, claude: FakeCli, gemini: FakeCli) {
    this.#machine = machine;
    this.#claude = claude;
    this.#gemini = gemini;
    const { home, project } = machine;
    const standIn = makeStandIn(join(home, "bin"));
    this.#where = { project: project.folder, home, standIn, pid: claude.pid };
    this.#brain = brainPath(project.path());
    mkdirSync(this.#brain, { mode: 0o700 });
  }

  async play(answers: number): Promise<void> {
    const events = Array.from({ length: eventsAtOnce }, () => this.#fire());
    try {
      for (let count = 0; count < answers; count += 1) await this.#exchange(count);
    } finally {
      this.#isOver = true;
    }
    await Promise.all(events);
  }

  /** An answer that comes while a hook looks because the brain rang, and claude's reply. */
  async #exchange(count: number): Promise<void> {
    if (count % answersEach === 0) await this.#open();
    ringBell(this.#brain);
    await sleep(Math.random() * this.#wholeMs);
    const due = await this.#answer(count);
    const { quiet } = this.count;
    this.#due = due;
    await until("the shell is quiet", () => this.count.quiet > quiet + 1);
    this.#due = undefined;
    if ((count + 1) % answersEach !== 0)
      await this.#claude.say(due.session, this.#progress("claude", count));
  }

  async #open(): Promise<void> {
    this.#sessions += 1;
    await this.#claude.open(`talk-${this.#sessions}`);
    await this.#claude.say(`talk-${this.#sessions}`, request);
  }

  async #answer(count: number): Promise<{ session: string; seq: number }> {
    const session = `talk-${this.#sessions}`;
    const said = await this.#gemini.say(session, this.#progress("gemini", count));
    return { session, seq: Number(/appended seq (\d+)/.exec(said)?.[1]) };
  }

  /** With each message a file of the project has changed, else a session would be taken to stand still. */
  #progress(name: string, count: number): JsonObject {
    const path = `${name}.txt`;
    writeFileSync(join(this.#machine.project.folder, path), `${count} places\n`);
    const progress = [{ kind: "artifact", path }];
    return draft("RESPONSE", `${name} speaks for files ${count} times.`, { progress });
  }

  async #fire(): Promise<void> {
    while (!this.#isOver) {
      await sleep(10 + Math.random() * 50);
      const due = this.#due;
      const answer = await answerAt(this.#where);
      if (answer === "rings") await this.#look();
      else if (due !== undefined) {
        this.count.quiet += 1;
        if (!this.#told(due.session).includes(due.seq)) this.lost.push(JSON.stringify(due));
      }
    }
  }

  async #look(): Promise<void> {
    const { home, project } = this.#where;
    const dies = pathToFileURL(bundledFixture("test/wake/dies-at-bell.fixture.ts")).href;
    const env = { NODE_OPTIONS: `--import=${dies}`, CLAUDE_PROJECT_DIR: project, HOME: home };
    const shell = { command: "/bin/sh", words: ["-c", command], cwd: project, env };
    const hook = this.#claude.fire("PostToolUse", shell);
    const timer = setTimeout(() => kill(hook), Math.random() * 2.5 * this.#wholeMs);
    const { code, stderr, tookMs } = await hook.done;
    clearTimeout(timer);
    this.count.looks += 1;
    if (code === null) {
      this.count.killed += 1;
      return;
    }
    assert.deepEqual([code, stderr], [0, ""]);
    this.#wholeMs = tookMs;
  }

  /** The seqs of the mail that claude was told of last, in a session. */
  #told(session: string): unknown[] {
    const path = this.#machine.seatFile(this.#claude).replace(/json$/, "hook.json");
    const { told } = recordOf(readFileSync(path, "utf8"));
    const roles: unknown[] = Array.isArray(told) ? told : [];
    const role = roles.find((it) => isRecord(it) && String(it["folder"]).endsWith(`/${session}`));
    const key: unknown = isRecord(role) ? JSON.parse(String(role["key"])) : [];
    const mail: unknown = Array.isArray(key) ? key.at(-1) : [];
    return Array.isArray(mail) ? mail : [];
  }
}

function kill(hook: Running): void {
  try {
    if (hook.isRunning()) hook.kill("SIGKILL");
  } catch {
    // It has no process yet, or no longer.
  }
}

describe("what rings while hooks look and are killed", { concurrency: 2 }, () => {
  it(`is not lost: ${ringsMin} rings of logs and brains`, async () => {
    const folder = makeScratchFolder();
    const raced = Array.from({ length: machines }, (_, at) => new Raced(join(folder, String(at))));
    await Promise.all(raced.map((it) => it.play(ringsMin / machines)));
    removeFolder(folder);
    assert.deepEqual(
      raced.flatMap(({ lost }) => lost),
      [],
    );
    const sum = (what: keyof Raced["count"]) =>
      raced.reduce((before, { count }) => before + count[what], 0);
    const [rings, looks, killed, quiet] = [sum("rings"), sum("looks"), sum("killed"), sum("quiet")];
    const told = `${rings} rings, ${looks} looks of which ${killed} killed, ${quiet} times quiet`;
    console.log(told);
    assert(looks > rings / 10 && killed > rings / 50 && quiet > rings / 100, told);
  });

  it(`is told: ${answers} answers, by real hooks`, async () => {
    const machine = new Machine({ brain: false, max_concurrent_sessions: answers });
    try {
      const [claude, gemini] = [await machine.start("claude"), await machine.start("gemini")];
      const raced = new RealRace(machine, claude, gemini);
      await raced.play(answers);
      assert.deepEqual([raced.lost, machine.failure()], [[], ""]);
      const { looks, killed, quiet } = raced.count;
      const told = `${looks} hooks of which ${killed} killed, ${quiet} times quiet`;
      console.log(told);
      assert(looks > 2 * answers && killed > answers / 2 && quiet > answers, told);
    } finally {
      machine.close();
    }
  });
});
