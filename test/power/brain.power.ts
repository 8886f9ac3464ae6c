import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { isRecord } from "../../scripts-src/base/json.ts";
import { hasStrace } from "../log/system-calls.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { type Cut, cutsOf, Distinct } from "./cuts.ts";
import { checkComplete, Disk } from "./disk.ts";
import { type FileCall, parseFileCalls } from "./file-calls.ts";
import { home, Stage, type Step, tracedTo } from "./scene.ts";
import { countsOf, filesOf, sampleOf, tryStates } from "./try-states.ts";

const shownMax = 8;
const folder = ".consulta/brain";

/** Longer than a page of the database. */
const long = "Files are what everybody can read without a server. ".repeat(100);

/** What clients ask in turn; between two groups the brain is stopped and started again. */
const acts: readonly (readonly (readonly string[])[])[] = [
  [
    ["store", "first", "one"],
    ["store", "long", long],
    ["store", "first", "two"],
    ["forget", "long"],
  ],
  [
    ["store", "third", "three"],
    ["forget", "first"],
  ],
];

/** What is kept, by key. */
type Memories = Readonly<Record<string, string>>;

interface State extends Cut {
  readonly step: number;
  /** What was acknowledged, and what would be next: what was asked for may be done. */
  readonly allowed: readonly Memories[];
}

interface Recorded {
  readonly calls: readonly FileCall[];
  /** What is kept once these calls have been made, as a client was told. */
  readonly kept: Memories;
}

const skip = !hasStrace && "NO POWER CUT OF A BRAIN WAS TESTED: strace is not installed";

describe("a power cut at any call of a brain", { skip, timeout: 7_200_000 }, () => {
  it("leaves every acknowledged memory, and the next brain starts", async (t) => {
    const scratch = makeScratchFolder();
    try {
      const stage = new Stage(join(scratch, "stage"));
      const states = statesOf(await record(stage, scratch), join(scratch, "project"));
      const sample = sampleOf(states);
      const failures = await tryStates(scratch, sample, (project, state) =>
        checkRecovers(stage, project, state),
      );
      for (const line of countsOf(states, sample, failures)) t.diagnostic(line);
      const shown = failures
        .slice(0, shownMax)
        .map(
          ({ state, cause }) =>
            `${state.kind}, step ${state.step}:\n${cause}\nof ${filesOf(state)}`,
        );
      assert.equal(failures.length, 0, shown.join("\n\n"));
    } finally {
      removeFolder(scratch);
    }
  });
});

/** A brain that runs as a process of ours. */
class Served {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #pid = 0;
  #errors = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#closed = new Promise((done) => child.on("close", done));
    child.stderr?.on("data", (data: Buffer) => {
      this.#errors += data;
    });
  }

  /** Until it says that it listens; a brain that does not come up fails. */
  async ready(): Promise<this> {
    assert(this.#child.stdout !== null);
    for await (const line of createInterface(this.#child.stdout)) {
      const said: unknown = JSON.parse(line);
      this.#pid = isRecord(said) ? Number(said["pid"]) : 0;
      return this;
    }
    return assert.fail(`the brain does not start: ${this.#errors}`);
  }

  async stop(): Promise<void> {
    if (this.#pid > 0) process.kill(this.#pid);
    await this.#closed;
  }
}

function serve(stage: Stage, project: string, under: readonly string[] = []): Promise<Served> {
  const words = ["serve", "--workspace", project];
  return new Served(stage.start(project, { script: "brain", words }, under)).ready();
}

async function record(stage: Stage, scratch: string): Promise<Recorded[]> {
  const [project, trace] = [join(scratch, "project"), join(scratch, "trace")];
  const recorded: Recorded[] = [];
  let kept: Memories = {};
  for (const group of acts) {
    let known = 0;
    const note = () => {
      const calls = parseFileCalls(wholeLinesOf(trace), project);
      recorded.push({ calls: calls.slice(known), kept });
      known = calls.length;
    };
    const brain = await serve(stage, project, tracedTo(trace));
    note();
    for (const words of group) {
      await ask(stage, project, words);
      kept = after(kept, words);
      note();
    }
    await brain.stop();
    note();
  }
  return recorded;
}

/** A call that is being made is not in it yet. */
function wholeLinesOf(trace: string): string {
  const text = readFileSync(trace, "utf8");
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

function after(kept: Memories, [verb, key = "", value = ""]: readonly string[]): Memories {
  const others = Object.entries(kept).filter(([each]) => each !== key);
  return Object.fromEntries(verb === "store" ? [...others, [key, value]] : others);
}

function statesOf(recorded: readonly Recorded[], project: string): State[] {
  const [disk, distinct, states] = [new Disk(), new Distinct(), [] as State[]];
  disk.apply({ call: "mkdir", path: home });
  disk.apply({ call: "sync", path: "" });
  for (const [step, { calls, kept }] of recorded.entries()) {
    disk.nextStep();
    const allowed = [recorded[step - 1]?.kept ?? {}, kept];
    for (const [index, call] of calls.entries()) {
      disk.apply(call);
      if (goesOn(call, calls[index + 1])) continue;
      for (const cut of cutsOf(disk)) {
        if (distinct.isNew(cut.tree, step)) states.push({ ...cut, step, allowed });
      }
    }
  }
  // SQLite writes this one in memory, and makes it anew after a restart.
  checkComplete(disk, project, (path) => path.endsWith("-shm"));
  return states;
}

/** Of pages that are written one after the other each may be missing at the last one too. */
function goesOn(call: FileCall, next: FileCall | undefined): boolean {
  return call.call === "write" && next?.call === "write" && next.path === call.path;
}

/** The next brain starts, knows what was acknowledged, and keeps more; nothing was moved aside. */
async function checkRecovers(stage: Stage, project: string, { allowed }: State): Promise<void> {
  const brain = await serve(stage, project);
  try {
    const kept = await memoriesOf(stage, project);
    const isAllowed = allowed.some((each) => isSame(each, kept));
    assert(isAllowed, `kept is ${shown(kept)}, expected ${allowed.map(shown).join(" or ")}`);
    await ask(stage, project, ["store", "later", "four"]);
    assert.equal((await memoriesOf(stage, project))["later"], "four");
  } finally {
    await brain.stop();
  }
  const aside = readdirSync(join(project, folder)).filter((name) => /damaged|foreign/.test(name));
  assert.deepEqual(aside, []);
}

async function memoriesOf(stage: Stage, project: string): Promise<Memories> {
  const lines = (await ask(stage, project, ["export"])).split("\n").filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const value: unknown = JSON.parse(line);
      assert(isRecord(value));
      return [String(value["key"]), String(value["value"])];
    }),
  );
}

function isSame(one: Memories, other: Memories): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

function shown(kept: Memories): string {
  return JSON.stringify(Object.entries(kept).map(([key, value]) => [key, value.slice(0, 20)]));
}

async function ask(stage: Stage, project: string, words: readonly string[]): Promise<string> {
  const step: Step = { script: "brain", words: [...words, "--workspace", project] };
  const { code, out, errors } = await stage.run(project, step);
  assert.equal(code, 0, `brain ${words.join(" ").slice(0, 60)} ended with ${code}: ${errors}`);
  return out;
}
