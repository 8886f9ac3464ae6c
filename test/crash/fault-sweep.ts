import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { plainEnvironment } from "../log/append-loop.ts";
import { countedCalls, hasStrace, type Point, type Run, runTraced } from "../log/system-calls.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { spread } from "./spread.ts";

/** A folder with a project, in which the command runs, and the home of its user. */
export class Ground {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  get project(): string {
    return join(this.folder, "project");
  }

  get home(): string {
    return join(this.folder, "home");
  }

  /** Compiled code is kept outside: what that meets is no part of what is tested. */
  environment(): NodeJS.ProcessEnv {
    const own = Object.entries(plainEnvironment()).filter(
      ([name]) => !/^(?:CONSULTA_|CLAUDE|GEMINI|NODE_TEST)/.test(name),
    );
    const cache = join(this.folder, "..", "cache");
    return { ...Object.fromEntries(own), HOME: this.home, XDG_CACHE_HOME: cache };
  }

  /** The lines of every log below the folder. */
  logs(): Map<string, string[]> {
    const names = readdirSync(this.folder, { recursive: true, encoding: "utf8" });
    const logs = names.filter((name) => name.endsWith("events.jsonl")).sort();
    return new Map(
      logs.map((name) => [name, readFileSync(join(this.folder, name), "utf8").split("\n")]),
    );
  }
}

/** One command, what is there before it, and how it may end when a call of the system fails. */
export interface FaultScene {
  readonly name: string;
  make(ground: Ground): void | Promise<void>;
  /** The script and its words; it runs in the project. */
  readonly command: readonly string[];
  /** What standard input holds. */
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** How it may end beside its own end: UNAVAILABLE or REFUSED unless its own table has others. */
  readonly codes?: readonly number[];
  /** How the next run may end beside as ever. */
  readonly again?: readonly number[];
  /** How the next run may end where the command had succeeded all the same. */
  readonly twice?: readonly number[];
  /** What to run next, where it is not the same command. */
  readonly next?: readonly string[];
  /** What has to be so whatever happened. */
  readonly holds?: (ground: Ground) => Promise<void>;
  /** It waits, so that its calls vary: so many at its beginning have to be the same in two runs. */
  readonly stretch?: number;
  /** Says something else each time that it runs. */
  readonly repeats?: boolean;
  /** What it adds to the log are notes: one that cannot be taken fails nobody. */
  readonly notesOnly?: boolean;
  /** A failure of it is nobody's business: it stays silent. */
  readonly silent?: boolean;
}

interface Case extends Point {
  readonly error: string;
}

const scripts = join(import.meta.dirname, "..", "..", "dist");
const skip = !hasStrace && "NO FAULT WAS INJECTED: strace is not installed";
const atOnce = 2;
const triesMax = 3;
/** How many faults of a scene the sample has; `CONSULTA_FAULTS=all` has them all. */
const sampleSize = process.env["CONSULTA_FAULTS"] ?? "6";
const wantedErrors = process.env["CONSULTA_ERRORS"]?.split(",");

const looking = ["EIO", "EACCES", "ENOTDIR", "ESTALE"];
const changing = ["EIO", "ENOSPC", "EACCES", "EPERM", "EROFS", "ESTALE"];
const errorsOf: Record<string, readonly string[]> = {
  openat: ["EIO", "EACCES", "EPERM", "EMFILE", "ENOTDIR", "ESTALE", "EINTR"],
  read: ["EINTR", "EIO", "ESTALE"],
  pread64: ["EINTR", "EIO", "ESTALE"],
  write: ["EIO", "ENOSPC", "EINTR"],
  pwrite64: ["EIO", "ENOSPC", "EINTR"],
  fsync: ["EIO", "ENOSPC", "EROFS"],
  fdatasync: ["EIO", "ENOSPC"],
  statx: looking,
  newfstatat: looking,
  stat: looking,
  lstat: looking,
  fstat: ["EIO", "ESTALE"],
  access: looking,
  faccessat: looking,
  faccessat2: looking,
  readlink: looking,
  readlinkat: looking,
  getdents64: ["EIO", "ESTALE"],
  utimensat: ["EPERM", "EROFS", "EIO", "EACCES"],
  ...Object.fromEntries(
    "rename renameat renameat2 link linkat unlink unlinkat mkdir mkdirat rmdir ftruncate fchmod chmod fchmodat"
      .split(" ")
      .map((name) => [name, changing]),
  ),
};

/** Injects each failure that fits at each call of a command that concerns its project or home. */
export function describeFaults(scene: FaultScene): void {
  describe(`${scene.name}, when a call of the system fails`, { skip, timeout: 3_600_000 }, () => {
    let scratch: string;
    let model: Ground;
    before(async () => {
      scratch = makeScratchFolder();
      cpSync(scripts, join(scratch, "scripts"), { recursive: true });
      mkdirSync(join(scratch, "cache"), { mode: 0o700 });
      model = new Ground(join(scratch, "model"));
      // A workspace of its own: one that lies above is nobody's business here.
      const workspace = join(model.project, ".consulta");
      for (const folder of [workspace, model.home]) mkdirSync(folder, { recursive: true });
      await scene.make(model);
    });
    after(() => removeFolder(scratch));

    it("says so in one line or goes on, and the next run works", (t) =>
      sweep(t, scene, model, scratch));
  });
}

async function sweep(t: TestContext, scene: FaultScene, model: Ground, scratch: string) {
  const plain = await plainRun(scene, model, scratch);
  const cases = sampleOf(plain.points);
  assert(cases.length > 0, "no call concerns the project");
  const failures: string[] = [];
  const queue = [...cases];
  const worker = async (number: number) => {
    const ground = new Ground(join(scratch, `worker-${number}`));
    for (let one = queue.shift(); one; one = queue.shift()) {
      const fault = await faultOf(scene, { model, ground, plain, one });
      if (fault !== undefined) failures.push(fault);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, number) => worker(number)));
  const all = casesOf(plain.points).length;
  t.diagnostic(`${cases.length} of ${all} faults at ${plain.points.length} calls`);
  assert.equal(failures.length, 0, `${failures.length} failures\n${failures.join("\n")}`);
}

interface Plain {
  readonly points: readonly Point[];
  readonly run: Run;
  /** How long each log is afterwards. */
  readonly lengths: ReadonlyMap<string, number>;
}

/** Two runs without a fault have to make the same calls: the first ones keep compiled code. */
async function plainRun(scene: FaultScene, model: Ground, scratch: string): Promise<Plain> {
  let before: readonly Point[] = [];
  for (let tries = 0; tries < 24; tries += 1) {
    const ground = copyOf(model, join(scratch, "plain"));
    const names = Object.keys(errorsOf).map((name) => `?${name}`);
    const run = await start(scene, ground, names.join(), []);
    const points = pointsOf(run.trace, ground.folder);
    const lengths = new Map([...ground.logs()].map(([name, lines]) => [name, lines.length]));
    const steady = stretchOf(points, before);
    const isSteady = steady.length === Math.max(points.length, before.length);
    if (isSteady || steady.length >= (scene.stretch ?? Number.POSITIVE_INFINITY)) {
      return { points: steady, run, lengths };
    }
    before = points;
  }
  return assert.fail("no two runs make the same calls");
}

/** The calls that two runs make alike from their beginning. */
function stretchOf(one: readonly Point[], other: readonly Point[]): readonly Point[] {
  const isSame = (it: Point, at: number) =>
    it.name === other[at]?.name && it.when === other[at]?.when;
  const end = one.findIndex((it, at) => !isSame(it, at));
  return end < 0 ? one : one.slice(0, end);
}

function pointsOf(trace: readonly string[], folder: string): Point[] {
  return [...countedCalls(trace)]
    .filter(({ line }) => concerns(line, folder))
    .map(({ name, when }) => ({ name, when }));
}

/** The folder that a process is in is no part of an absolute path. */
function concerns(line: string | undefined, folder: string): boolean {
  return line?.replace(/AT_FDCWD<[^>]*>, "\//, '"/').includes(folder) === true;
}

function casesOf(points: readonly Point[]): Case[] {
  return points.flatMap((point) =>
    (errorsOf[point.name] ?? [])
      .filter((error) => wantedErrors?.includes(error) !== false)
      .map((error) => ({ ...point, error })),
  );
}

/** Evenly spread over all calls and failures. */
function sampleOf(points: readonly Point[]): Case[] {
  const all = casesOf(points);
  if (sampleSize === "all") return all;
  return spread(all, Number(sampleSize));
}

function copyOf(model: Ground, folder: string): Ground {
  rmSync(folder, { recursive: true, force: true });
  cpSync(model.folder, folder, { recursive: true, preserveTimestamps: true });
  return new Ground(folder);
}

function start(scene: FaultScene, ground: Ground, names: string, inject: string[]): Promise<Run> {
  const [script = "", ...words] = scene.command;
  const file = join(ground.folder, "..", "scripts", `${script}.cjs`);
  const env = { ...ground.environment(), ...scene.environment };
  const options = { env, cwd: ground.project, input: scene.input ?? "" };
  return runTraced(`${ground.folder}.trace`, names, inject, [file, ...words], options);
}

interface Trial {
  readonly model: Ground;
  readonly ground: Ground;
  readonly plain: Plain;
  readonly one: Case;
}

/** What is wrong with how a command took one failure; undefined when it took it well. */
async function faultOf(scene: FaultScene, trial: Trial): Promise<string | undefined> {
  const { model, ground, plain, one } = trial;
  const { name, when, error } = one;
  for (let tries = 0; tries < triesMax; tries += 1) {
    copyOf(model, ground.folder);
    const inject = ["-e", `inject=${name}:error=${error}:when=${when}`];
    const run = await start(scene, ground, name, inject);
    const hit = run.trace[when - 1];
    // A run in which Node itself makes a call more or less is no proof: it is tried again.
    if (!concerns(hit, ground.folder) || hit?.includes("(INJECTED)") !== true) continue;
    try {
      checkSaid(scene, plain, run);
      checkKept(scene, trial, run);
      await checkGoesOn(scene, trial, run);
      await scene.holds?.(ground);
      return undefined;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      return `${error} at ${hit.replace(ground.folder, "")}: ${reason}`;
    }
  }
  return `${error} at ${name} ${when} did not fire`;
}

function checkSaid({ codes = [2, 4], silent }: FaultScene, plain: Plain, run: Run): void {
  const { code, signal, errors } = run;
  const said = `exit ${code ?? signal}: ${errors}`;
  assert.doesNotMatch(errors, /^bug:|^ {4}at /m, said);
  if (silent) assert.deepEqual([code, errors], [plain.run.code, plain.run.errors], said);
  if (code === plain.run.code) return;
  assert(codes.includes(code ?? -1), said);
  assert.equal(errors.match(/^error: [^\n]+$/gm)?.length, 1, said);
}

/** What was in a log stays there, and what was acknowledged is there. */
function checkKept(scene: FaultScene, { model, ground, plain }: Trial, { code }: Run): void {
  const logs = ground.logs();
  for (const [name, lines] of model.logs()) {
    const kept = logs.get(name)?.slice(0, lines.length - 1);
    assert.deepEqual(kept, lines.slice(0, -1), `${name} has lost events`);
  }
  if (scene.notesOnly || code !== 0 || plain.run.code !== 0) return;
  for (const [name, length] of plain.lengths) {
    assert((logs.get(name)?.length ?? 0) >= length, `${name} lacks what was acknowledged`);
  }
}

async function checkGoesOn(scene: FaultScene, trial: Trial, stopped: Run): Promise<void> {
  const { ground, plain } = trial;
  const isDone = stopped.code === plain.run.code;
  const command = isDone ? scene.command : (scene.next ?? scene.command);
  const { code, errors } = await start({ ...scene, command }, ground, "execve", []);
  assert.doesNotMatch(errors, /^bug:|^ {4}at /m, `the next run: ${errors}`);
  const may = [plain.run.code, ...(scene.again ?? []), ...(isDone ? (scene.twice ?? []) : [])];
  assert(may.includes(code), `the next run ends with ${code}: ${errors}`);
  if (scene.repeats) return;
  const lengths = new Map([...ground.logs()].map(([name, lines]) => [name, lines.length]));
  assert.deepEqual(lengths, plain.lengths, "the next run leaves other events");
}
