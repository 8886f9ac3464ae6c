// Plays scenarios that are data: each YAML file is a list of steps in a fresh project, a git repository with one
// commit and a home of its own. Every command is a built script.
//
// A file has a title, project: {PATH: TEXT} if that commit holds more than a README, and steps. A step is one of
//   write: PATH, text: TEXT             a file of the project
//   run: NAME ARGUMENT...               dist/NAME.cjs, with stdin: TEXT
//   send: WHO, message: {...}           a turn: next-action, told: and not_told: what it must (not) print, then
//                                       append-event --message -; without a message it ends there
// and a command may expect
//   exit: 0 (the default)   out, err: words that must be there   not_out, not_err: words that must not
//   files: [{path, has, not}]           below the project; * in the last name stands for any characters
//   keep: {seq: 'appended seq (\d+)'}   later steps write ${seq}; alone in a message it is a number
// Words are compared without regard to case and white space; '/words/' is a regular expression.
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { codeCache } from "../code-cache.ts";
import { scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { runInThread, runsInThread } from "../script-host.ts";

type FileExpectation = { path: string; has?: string[]; not?: string[] };
type Expectation = {
  exit?: number;
  out?: string[];
  not_out?: string[];
  err?: string[];
  not_err?: string[];
  files?: FileExpectation[];
  keep?: Record<string, string>;
};
type Step = Expectation & {
  note?: string;
  write?: string;
  text?: string;
  run?: string;
  stdin?: string;
  send?: string;
  message?: unknown;
  told?: string[];
  not_told?: string[];
};
type Scenario = { title: string; project?: Record<string, string>; steps: Step[] };
type World = {
  project: string;
  home: string;
  kept: Map<string, string>;
};
type Outcome = { exit: number; out: string; err: string };

const stepKeys =
  /^(note|write|text|run|stdin|send|message|((not_)?(told|out|err))|exit|files|keep)$/;
const timeLimitMs = 60_000;

function readScenario(file: string): Scenario {
  const scenario = parse(fs.readFileSync(file, "utf8"), { merge: true }) as Scenario;
  scenario.steps.forEach((step, index) => {
    const unknown = Object.keys(step).filter((key) => !stepKeys.test(key));
    const kinds = [step.write, step.run, step.send].filter((kind) => kind !== undefined);
    const fault = unknown.length > 0 ? `unknown ${unknown}` : "one of write, run, send";
    if (unknown.length > 0 || kinds.length !== 1)
      throw new Error(`${file}: step ${index + 1}: ${fault}`);
  });
  return scenario;
}

function makeWorld(scenario: Scenario): World {
  const root = makeScratchFolder();
  const kept = new Map([["session", "s"]]);
  const world = { project: join(root, "project"), home: join(root, "home"), kept };
  fs.mkdirSync(world.home);
  writeProjectFile(world, "README.md", "# A project\n");
  for (const [path, text] of Object.entries(scenario.project ?? {}))
    writeProjectFile(world, path, text);
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: world.project, env: environment(world) });
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "Begin");
  return world;
}

/** Nothing of the caller's says who runs a script: neither an AI CLI's variables nor a home. */
function environment(world: World): NodeJS.ProcessEnv {
  const places = { HOME: world.home, USERPROFILE: world.home, XDG_CACHE_HOME: codeCache };
  return { ...places, PATH: process.env["PATH"], LANG: "C.UTF-8" };
}

function writeProjectFile(world: World, path: string, text: string): void {
  const file = join(world.project, path);
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

/** Words as a shell parts them, with quotes and without anything else. */
function splitWords(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

function fillIn(world: World, text: string): string {
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = world.kept.get(name);
    if (value === undefined) throw new Error(`nothing was kept as ${name}`);
    return value;
  });
}

function runScript(world: World, line: string, stdin = ""): Outcome {
  const [name = "", ...rest] = splitWords(line).map((word) => fillIn(world, word));
  const [input, env] = [fillIn(world, stdin), environment(world)];
  if (runsInThread(name, rest)) {
    const asked = { script: name, args: rest, input, environment: env };
    const { code, stdout, stderr } = runInThread(asked, world.project);
    return { exit: code ?? -1, out: stdout, err: stderr };
  }
  const done = spawnSync(process.execPath, [scriptPath(name), ...rest], {
    cwd: world.project,
    ...{ env, input, encoding: "utf8" },
    timeout: timeLimitMs,
  });
  if (done.error) throw done.error;
  return { exit: done.status ?? -1, out: done.stdout, err: done.stderr };
}

function holds(text: string, words: string): boolean {
  const pattern = /^\/(.+)\/$/s.exec(words)?.[1];
  const squeeze = (some: string) => some.replace(/\s+/g, " ").toLowerCase();
  return pattern ? new RegExp(pattern, "is").test(text) : squeeze(text).includes(squeeze(words));
}

function faultsOfText(
  world: World,
  where: string,
  text: string,
  has: string[] = [],
  not: string[] = [],
) {
  const absent = has.filter((words) => !holds(text, fillIn(world, words)));
  const present = not.filter((words) => holds(text, fillIn(world, words)));
  const say = (verb: string) => (words: string) => `${where}: ${verb} ${JSON.stringify(words)}`;
  return [...absent.map(say("expected")), ...present.map(say("did not expect"))];
}

function filesLike(path: string): string[] {
  const parts = basename(path)
    .split("*")
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const name = new RegExp(`^${parts.join(".*")}$`);
  const names = fs.existsSync(dirname(path)) ? fs.readdirSync(dirname(path)) : [];
  return names.filter((file) => name.test(file)).map((file) => join(dirname(path), file));
}

function faultsOfFile(world: World, { path, has, not }: FileExpectation): string[] {
  const files = filesLike(join(world.project, fillIn(world, path)));
  if (files.length === 0 && has) return [`${path}: there is no such file`];
  const text = files.map((file) => fs.readFileSync(file, "utf8")).join("\n");
  const faults = faultsOfText(world, path, text, has, not);
  return faults.length > 0 ? [...faults, `it holds:\n${text}`] : [];
}

function keepWords(world: World, keep: Record<string, string> = {}, out: string): string[] {
  return Object.entries(keep).flatMap(([name, pattern]) => {
    const value = new RegExp(pattern).exec(out)?.[1];
    if (value === undefined) return [`stdout: nothing to keep for /${pattern}/`];
    world.kept.set(name, value);
    return [];
  });
}

function judge(world: World, expected: Expectation, got: Outcome): string[] {
  const code = expected.exit ?? 0;
  const faults = [
    ...(code === got.exit ? [] : [`exit: expected ${code}, got ${got.exit}`]),
    ...faultsOfText(world, "stdout", got.out, expected.out, expected.not_out),
    ...faultsOfText(world, "stderr", got.err, expected.err, expected.not_err),
    ...keepWords(world, expected.keep, got.out),
  ];
  if (faults.length > 0) return [...faults, `got stdout:\n${got.out}`, `got stderr:\n${got.err}`];
  return (expected.files ?? []).flatMap((file) => faultsOfFile(world, file));
}

/** The loop that the protocol asks of a participant: ask what is due, then send. */
function takeTurn(world: World, step: Step, who: string): string[] {
  const as = `--session \${session} --participant ${who}`;
  const told = { out: step.told ?? [], not_out: step.not_told ?? [] };
  const faults = judge(world, told, runScript(world, `next-action ${as}`));
  if (faults.length > 0 || step.message === undefined) return faults;
  const message = JSON.stringify(step.message).replace(/"(\$\{\w+\})"/g, "$1");
  return judge(world, step, runScript(world, `append-event ${as} --message -`, message));
}

function takeStep(world: World, step: Step): string[] {
  if (step.send !== undefined) return takeTurn(world, step, step.send);
  if (step.run !== undefined) return judge(world, step, runScript(world, step.run, step.stdin));
  writeProjectFile(world, step.write ?? "", step.text ?? "");
  return [];
}

/** What went wrong in the first step that failed; nothing when all went as expected. */
function runScenario(world: World, steps: Step[]): string[] {
  for (const [index, step] of steps.entries()) {
    const faults = takeStep(world, step);
    const name = [step.send ?? step.run ?? step.write, step.note].filter(Boolean).join(": ");
    if (faults.length > 0) return [`step ${index + 1} of ${steps.length}: ${name}`, ...faults];
  }
  return [];
}

/** Plays a file of a scenario; what went wrong in it, nothing where all went as it says. */
export function playScenario(file: string): string[] {
  const scenario = readScenario(file);
  const world = makeWorld(scenario);
  try {
    return runScenario(world, scenario.steps);
  } finally {
    removeFolder(dirname(world.project));
  }
}
