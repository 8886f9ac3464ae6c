/**
 * Somebody who may write in the project puts a link in the place of a folder, at each moment at which
 * a script can be overtaken: nothing may be made, changed or removed where the link leads.
 */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isErrno } from "../../scripts-src/files/disk.ts";
import { spread } from "../crash/spread.ts";
import { draft, Project, scriptPath } from "../dialogue/project.ts";
import { Board, reportText } from "../findings/board.ts";
import { plainEnvironment } from "../log/append-loop.ts";
import { countedCalls, hasStrace, runTraced } from "../log/system-calls.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const skip =
  !(hasStrace && process.platform === "linux") && "NO SWAP WAS TESTED: strace is not installed";
const atOnce = 3;
const triesMax = 2;
const stopTimeoutMs = 8_000;

const changing = /^(?:mkdir|link|unlink|rename|rmdir|chmod|utimensat|openat\(.*O_CREAT)/;
const watched =
  "openat mkdir link unlink rename rmdir chmod utimensat stat lstat statx newfstatat readlink access";

interface Scene {
  /** Makes a project and gives the script's words. */
  make(project: Project): string[];
  readonly swapsMin: number;
}

const scenes: Record<string, Scene> = {
  "append-event": {
    make(project) {
      project.open("talk");
      project.say("talk", "claude", draft("REQUEST", "Which?"));
      const message = JSON.stringify(draft("RESPONSE", "This."));
      const who = ["--session", "talk", "--participant", "gemini"];
      writeFileSync(join(project.folder, "message.json"), message);
      return ["append-event", ...who, "--message", "message.json"];
    },
    swapsMin: 60,
  },
  "next-action": {
    make(project) {
      project.open("talk");
      project.say("talk", "claude", draft("REQUEST", "Which?"));
      return ["next-action", "--session", "talk", "--participant", "gemini"];
    },
    swapsMin: 40,
  },
  "validate --repair": {
    make(project) {
      project.open("talk");
      project.say("talk", "claude", draft("REQUEST", "Which?"));
      removeFolder(project.path("inbox-gemini"));
      removeFolder(project.path("sessions", "talk", "protocol.json"));
      return ["validate", "--session", "talk", "--repair"];
    },
    swapsMin: 20,
  },
  post: {
    make(project) {
      const board = new Board("board", project).init(2).register("a", "b");
      board.put("report.md", reportText());
      return ["post", board.name, "a", "topic", "--file", "report.md"];
    },
    swapsMin: 20,
  },
  register: {
    make(project) {
      const board = new Board("board", project).init(2).register("a");
      return ["register", board.name, "b"];
    },
    swapsMin: 20,
  },
  "install --hooks": {
    make(project) {
      mkdirSync(join(project.folder, ".claude"));
      mkdirSync(join(project.folder, ".consulta"));
      return ["install", "--into", project.folder, "--hooks"];
    },
    swapsMin: 5,
  },
};

/** A moment, behind one call, and the folder that is swapped in it. */
interface Swap {
  readonly name: string;
  readonly when: number;
  /** Below the project. */
  readonly folder: string;
  /** What the script was about to do. */
  readonly before: string;
}

for (const [title, scene] of Object.entries(scenes)) {
  describe(`${title}, with a folder swapped for a link at any moment`, { skip }, () => {
    it("changes nothing where the link leads", { timeout: 900_000 }, async (t) => {
      const swaps = await findSwaps(scene);
      assert(swaps.length >= scene.swapsMin, `only ${swaps.length} swaps`);
      const queue = spread(swaps, swapsMax);
      const tried = queue.length;
      const failures: string[] = [];
      const worker = async () => {
        for (let swap = queue.shift(); swap; swap = queue.shift()) {
          const fault = await trySwap(scene, swap);
          if (fault !== undefined) failures.push(fault);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      t.diagnostic(`${tried} of ${swaps.length} swaps, ${failures.length} led outside`);
      assert.equal(failures.length, 0, failures.join("\n"));
    });
  });
}

/** So many of each scene, evenly spread: an install makes hundreds of files, all in the same way. */
const swapsMax = Number(process.env["CONSULTA_SWAPS_MAX"] ?? 24);

function prepare(scene: Scene): { project: Project; command: string[] } {
  const project = new Project();
  const [script = "", ...args] = scene.make(project);
  return { project, command: [scriptPath(script), ...args] };
}

const names = watched
  .split(" ")
  .map((name) => `?${name}`)
  .join();

/** For each call that changes something: each folder on its way, swapped behind each call before it. */
async function findSwaps(scene: Scene): Promise<Swap[]> {
  let swaps: Swap[] = [];
  // The first run after a build keeps compiled code, with calls that later runs do not make.
  for (let runs = 0; runs < 2; runs += 1) {
    const { project, command } = prepare(scene);
    process.chdir(project.folder);
    const run = await runTraced(join(project.folder, "trace"), names, [], command);
    assert([0, 1].includes(run.code ?? 70), run.errors);
    swaps = swapsIn(run.trace, project.folder);
    process.chdir("/");
    removeFolder(project.folder);
  }
  return swaps;
}

function swapsIn(trace: readonly string[], project: string): Swap[] {
  const found = new Map<string, Swap>();
  let moments: Pick<Swap, "name" | "when">[] = [];
  for (const { name, when, line } of countedCalls(trace)) {
    if (!line.includes(project)) continue;
    if (changing.test(line)) {
      const folders = foldersIn(line, project);
      for (const folder of folders) {
        // Long before the change nobody has looked at anything: the last moments count.
        for (const moment of moments.slice(-12)) {
          const swap = { ...moment, folder, before: line.slice(0, 160) };
          found.set(`${moment.name} ${moment.when} ${folder}`, swap);
        }
      }
      moments = moments.slice(-3);
    }
    moments.push({ name, when });
  }
  return [...found.values()];
}

/** The folders below the project on the way of a call's paths. */
function foldersIn(line: string, project: string): Set<string> {
  const folders = new Set<string>();
  for (const [, path = ""] of line.matchAll(/"([^"]*)"/g)) {
    if (!path.startsWith(project + sep)) continue;
    const parts = relative(project, path).split(sep).slice(0, -1);
    parts.forEach((_, index) => {
      folders.add(parts.slice(0, index + 1).join(sep));
    });
  }
  return folders;
}

/** Says what was changed outside; undefined when nothing was. */
async function trySwap(scene: Scene, swap: Swap): Promise<string | undefined> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { project, command } = prepare(scene);
    const outside = makeScratchFolder();
    try {
      const done = await runWithSwap(project.folder, outside, swap, command);
      if (done !== undefined) return done === "" ? undefined : done;
    } finally {
      removeFolder(project.folder);
      removeFolder(outside);
    }
  }
  // Once the folder is not there at that moment: nothing to swap.
  return undefined;
}

async function runWithSwap(
  project: string,
  outside: string,
  { name, when, folder, before }: Swap,
  command: string[],
): Promise<string | undefined> {
  const trace = join(outside, "..", `${outside.split(sep).at(-1)}.trace`);
  const inject = `inject=${name}:signal=SIGSTOP:when=${when}`;
  const options = ["-f", "-o", trace, "-e", `trace=execve,${name}`, "-e", inject];
  const child = spawn("strace", [...options, process.execPath, ...command], {
    cwd: project,
    env: plainEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (part: Buffer) => {
    errors += part.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const pid = await stopped(trace, ended);
  try {
    const place = join(project, folder);
    if (pid === undefined || !lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) {
      // The tracer ends with what it traces; without it a stopped script would stay for ever.
      const script = pid ?? scriptOf(textOf(trace));
      if (script === undefined) child.kill("SIGKILL");
      else signal(script, "SIGKILL");
      await ended;
      return undefined;
    }
    const copy = join(outside, "copy");
    cpSync(place, copy, { recursive: true });
    renameSync(place, `${place}.aside`);
    symlinkSync(copy, place);
    const known = listing(copy);
    signal(pid, "SIGCONT");
    const stoppedLater = setInterval(() => resumeChildren(trace, pid), 200);
    const code = await ended.finally(() => clearInterval(stoppedLater));
    const at = `${folder} swapped behind ${name} ${when}, before ${before}`;
    const now = listing(copy);
    if (now !== known) return `${at}: ${newIn(now, known)}`;
    return code === 70 ? `${at}: ${errors}` : "";
  } finally {
    removeFolder(trace);
  }
}

/** The process once all its threads stand still; undefined when it ended before. */
async function stopped(trace: string, ended: Promise<unknown>): Promise<number | undefined> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const until = Date.now() + stopTimeoutMs;
  while (!isOver && Date.now() < until) {
    const text = textOf(trace);
    const script = scriptOf(text);
    if (script !== undefined) {
      if (stoppedIn(text).includes(script) && standsStill(script)) return script;
      resumeChildren(trace, script);
    }
    await sleep(5);
  }
  return undefined;
}

function textOf(trace: string): string {
  return existsSync(trace) ? readFileSync(trace, "utf8") : "";
}

function scriptOf(trace: string): number | undefined {
  const [first] = /^\d+/.exec(trace) ?? [];
  return first === undefined ? undefined : Number(first);
}

/** The first thread may be stopped while another one still works. */
function standsStill(script: number): boolean {
  return threadsOf(script).every((thread) => {
    const status = textOf(join("/proc", String(script), "task", thread, "stat"));
    return /^\d+ \(.*\) [tT] /.test(status);
  });
}

function threadsOf(script: number): string[] {
  const folder = join("/proc", String(script), "task");
  return existsSync(folder) ? readdirSync(folder) : [];
}

function stoppedIn(trace: string): number[] {
  const lines = trace.matchAll(/^(\d+) +--- stopped by SIGSTOP ---/gm);
  return [...lines].map(([, id]) => Number(id));
}

/**
 * strace counts the calls of each process, such as a git that the script asks and waits for. A thread
 * of the script is none: resumed, it would take the script with it.
 */
function resumeChildren(trace: string, script: number): void {
  const own = new Set([script, ...threadsOf(script).map(Number)]);
  for (const pid of new Set(stoppedIn(textOf(trace)))) if (!own.has(pid)) signal(pid, "SIGCONT");
}

function signal(pid: number, name: "SIGCONT" | "SIGKILL"): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!isErrno(error, "ESRCH")) throw error;
  }
}

function newIn(now: string, known: string): string {
  const before = new Set(known.split("\n"));
  const fresh = now.split("\n").filter((line) => !before.has(line));
  return fresh.map((line) => line.slice(0, 120)).join("; ") || "something is gone";
}

/** Every name below a folder with its kind and what it holds. */
function listing(folder: string): string {
  const found: string[] = [];
  const visit = (path: string) => {
    const status = lstatSync(path);
    const kind = status.isDirectory() ? "folder" : "file";
    const link = status.isSymbolicLink() ? readlinkSync(path) : "";
    const text = status.isFile() ? readFileSync(path, "latin1") : "";
    found.push(`${relative(folder, path)} ${kind} ${link} ${status.mode} ${text}`);
    if (status.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
  };
  visit(folder);
  return found.sort().join("\n");
}
