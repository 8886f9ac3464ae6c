import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { inline, quote } from "../base/json.ts";
import { withoutSecrets } from "../base/secrets.ts";
import { completeDriver, type DriverProfile } from "../clis/driver-profile.ts";
import { ownVariables, passedTo } from "../clis/find-cli.ts";
import { commandOf } from "../clis/find-program.ts";
import { commonFailures } from "../clis/known-drivers.ts";
import { pluginFile, pluginModule, pluginText, projectScripts } from "../clis/opencode-plugin.ts";
import { lastLine, shortLine } from "../clis/output-line.ts";
import { withoutParentCli } from "../clis/passed-variables.ts";
import { runLimits } from "../clis/run-limits.ts";
import { failureOf, type ProcessEnd, runProcess } from "../clis/run-process.ts";
import { ownSettingsFile } from "../clis/user-settings.ts";
import { namesIn, writeFileAtomically, writeNewFile } from "../files/atomic-file.ts";
import { existsSync, isFolder, orNothing, readFileSync } from "../files/disk.ts";
import type { Environment } from "../files/home-folder.ts";
import { safeJoin } from "../files/safe-path.ts";
import { type AgentStart, refusedTools, takeAcpTurn } from "./acp-driver.ts";
import { explainFailure, type FailureText, readOutput } from "./cli-output.ts";
import { machineTries, type ProgramDriver, type Task, type TurnResult } from "./driver.ts";

/**
 * Runs any shell command in the project folder: the task on standard input, CONSULTA_SESSION,
 * CONSULTA_PARTICIPANT, CONSULTA_SCRIPTS and CONSULTA_WORKSPACE around it, its output the answer. It is the user's
 * and may need any of their variables. Or, as `acp`, it is any agent of the Agent Client Protocol.
 */
export function commandDriver(
  line: string,
  outer: Environment,
  name: "command" | "acp" = "command",
): ProgramDriver {
  return {
    name,
    triesMax: machineTries,
    async takeTurn(task, signal) {
      const environment = { ...withoutParentCli(outer), ...turnVariables(task) };
      const start = { command: line, arguments: [], shell: true, environment };
      if (name === "acp") {
        const fault = (end: ProcessEnd) => startFailure(line, end) ?? processFailure(task, end);
        return takeAcpTurn(anyAgent, start, task, signal, fault);
      }
      const end = await runTask(start, task, task.prompt, signal);
      return { ...processResult("the command", task, end), ...startFailure(line, end) };
    },
  };
}

/** What is wrong with a name like this is for entries in a file. */
const anyAgent = completeDriver(
  "the agent",
  {
    output: "acp",
    failures: commonFailures
      .filter(({ means }) => means === "version")
      .map((it) => ({ ...it, means: "failed", advice: "correct the command after acp:" })),
  },
  { found: [], strict: true },
);

function runTask(start: AgentStart, task: Task, input: string, signal: AbortSignal) {
  const { project: folder, timeoutMs } = task;
  return runProcess({ ...start, folder, input, timeoutMs, bounds: runLimits }, signal);
}

/** Of a shell: the program is there and may not run, or is not there. `cmd.exe` has its own for that. */
const unstartable: ReadonlySet<number> = new Set([126, 127, 9009]);

/** Why a shell could not start a line; only the user can fix that. */
function startFailure(line: string, end: ProcessEnd): FailureText | undefined {
  if (end.stopped !== undefined || !unstartable.has(end.exitCode)) return undefined;
  const said = inline(lastLine(end.stderr) || line, runLimits.quotedReasonCharacters);
  return { failure: `could not start: ${said}; fix it, then go on`, left: true };
}

/** Which turn it is, for the process of a participant. */
function turnVariables({ place, participant, scripts, project }: Task): Environment {
  if (place === undefined) return {};
  return {
    CONSULTA_SESSION: place.id,
    CONSULTA_FOLDER: place.folder,
    CONSULTA_PARTICIPANT: participant,
    CONSULTA_SCRIPTS: scripts,
    CONSULTA_WORKSPACE: project,
  };
}

/** The result of a turn that a process gave, before anybody reads what it printed. */
function processResult(name: string, task: Task, end: ProcessEnd): TurnResult {
  const { stdout: answer } = end;
  const failure = processFailure(task, end);
  return failure === undefined ? { answer } : { answer, failure: shortLine(`${name} ${failure}`) };
}

function processFailure(task: Task, end: ProcessEnd): string | undefined {
  if (end.stopped !== "timeout") return failureOf(end, runLimits);
  const taken = `did not finish within ${task.timeoutMs / 1_000} s and was stopped`;
  return task.place === undefined ? taken : `${taken}; --turn-timeout gives it longer`;
}

/**
 * Runs a CLI headless, as its profile says; `program` is where it was found. `files` are put into the folder of
 * an audit, which has no others.
 */
export function vendorDriver(
  profile: DriverProfile,
  program: string,
  environment: Environment,
  files: ReadonlyMap<string, string> = new Map(),
): ProgramDriver {
  return {
    name: profile.name,
    triesMax: machineTries,
    async takeTurn(task, signal) {
      const found = projectProgram(profile, task);
      if (found !== undefined) return { answer: "", failure: runsIt(profile, found), left: true };
      for (const [name, text] of files) writeFileAtomically(safeJoin(task.project, name), text);
      const own = {
        ...(await passedTo(profile, environment)),
        ...turnVariables(task),
        ...ownVariables(profile.environment, environment),
      };
      if (profile.output === "acp") {
        const start = { ...commandOf(program, profile.arguments), environment: own };
        return takeAcpTurn(profile, start, task, signal, (end) => processFailure(task, end));
      }
      const words = [...profile.arguments, ...resumeWords(profile, task)];
      // What a vendor's CLI is given leaves the machine. A peer could stop the session with a made-up
      // key if the turn was refused over it.
      const prompt = withoutSecrets(task.prompt);
      const placed = placePrompt(profile.input, words, prompt, program);
      if ("fault" in placed) {
        return { answer: "", failure: `${profile.name}: ${placed.fault}`, left: true };
      }
      try {
        const start = { ...commandOf(program, placed.words), environment: own };
        return readEnd(profile, task, await runTask(start, task, placed.input, signal));
      } finally {
        placed.discard();
      }
    },
  };
}

/**
 * What of a project this CLI would run in a turn whatever it is told: a repository could run a program so.
 * Undefined where there is nothing, but for our own plugin, which does nothing in such a turn.
 */
function projectProgram(
  { project_programs: places }: DriverProfile,
  { project, scripts }: Pick<Task, "project" | "scripts">,
): string | undefined {
  for (let folder = project; ; folder = dirname(folder)) {
    const paths = places.flatMap((place) => programsAt(join(folder, place)));
    const found = paths.find((path) => !isOwnPlugin(path, folder, scripts));
    if (found !== undefined) return quote(relative(project, found));
    if (existsSync(join(folder, ".git")) || folder === dirname(folder)) return undefined;
  }
}

/** All that lies in a folder; a file of settings where it names plugins. */
function programsAt(path: string): string[] {
  if (isFolder(path)) return namesIn(path).map((name) => join(path, name));
  return /plugin|\\u/.test(textOf(path) ?? "") ? [path] : [];
}

function isOwnPlugin(path: string, folder: string, scripts: string): boolean {
  if (path !== join(folder, pluginFile) || textOf(path) !== pluginText) return false;
  const own = textOf(join(scripts, pluginModule));
  return own !== undefined && textOf(join(folder, projectScripts, pluginModule)) === own;
}

function textOf(path: string): string | undefined {
  return orNothing(() => readFileSync(path))?.toString();
}

function runsIt({ name }: DriverProfile, found: string): string {
  const way = `move it away, or give another CLI the turn; where you trust it: drivers: {${name}: {project_programs: []}}`;
  return `${name} would run what ${found} holds: ${way} in ${ownSettingsFile}`;
}

/** The name of a conversation came out of the CLI: only what looks like one goes back in. */
function resumeWords({ resume: words }: DriverProfile, { resume }: Task): string[] {
  if (resume === undefined || !/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(resume)) return [];
  return words.map((word) => word.replaceAll("{conversation}", resume));
}

function readEnd(profile: DriverProfile, task: Task, end: ProcessEnd): TurnResult {
  const base = processResult(profile.name, task, end);
  if (end.unstarted !== undefined || end.stopped === "aborted" || end.stopped === "output")
    return { ...base, answer: "" };
  const { answer, conversation, error, refused } = readOutput(profile, end.stdout);
  // What a CLI gives as its answer when it failed is why.
  const said = answer === error ? "" : (answer ?? "");
  const result = { ...base, answer: said, resume: conversation };
  const remark = refused ? refusedTools : undefined;
  const why =
    end.stopped === undefined && error !== undefined
      ? `failed: ${inline(error, runLimits.quotedReasonCharacters)}`
      : undefined;
  if (why === undefined && base.failure === undefined && answer !== undefined)
    return { ...result, remark };
  const told =
    why === undefined ? (base.failure ?? noAnswer(profile, end)) : `${profile.name} ${why}`;
  const printed = profile.output === "text" ? end.stdout.slice(-4_000) : "";
  return { ...result, ...explainFailure(profile, told, end, printed), remark };
}

function noAnswer({ name, answer, output }: DriverProfile, { stdout }: ProcessEnd): string {
  const cut = stdout.trim() === "" ? "" : ": what it printed is cut off or something else";
  const form = output === "json" ? "JSON" : "line of JSON";
  return `${name} printed no ${form} with the field ${answer?.from}${cut}`;
}

/** A task where the CLI looks for it. */
interface Placed {
  readonly input: string;
  readonly words: readonly string[];
  /** Removes what is on disk for it. */
  discard(): void;
}

/**
 * Puts the task of a turn where the profile has a place for it: `{prompt}` as it is, `{prompt_json}`
 * as a JSON string, `{prompt_file}` as the path of a file that holds it.
 */
export function placePrompt(
  input: string,
  words: readonly string[],
  prompt: string,
  program: string,
): Placed | { readonly fault: string } {
  const fill = (text: string) =>
    text.replace(/\{prompt(_json)?\}/g, (_, json) =>
      json === undefined ? prompt : JSON.stringify(prompt),
    );
  const fault = words.some((word) => fill(word) !== word)
    ? argumentFault(prompt, program)
    : undefined;
  if (fault !== undefined) return { fault };
  const folder = words.some((word) => word.includes("{prompt_file}"))
    ? mkdtempSync(join(tmpdir(), "consulta-"))
    : undefined;
  const file = join(folder ?? "", "task.txt");
  if (folder !== undefined) writeNewFile(file, prompt, {});
  return {
    input: fill(input),
    words: words.map((word) => fill(word.replaceAll("{prompt_file}", () => file))),
    discard: () => folder !== undefined && rmSync(folder, { recursive: true, force: true }),
  };
}

/** Why a command line cannot hold the task. */
function argumentFault(prompt: string, program: string): string | undefined {
  // Its shell would take parts of the task for commands.
  if (/\.(?:cmd|bat)$/i.test(program))
    return "a batch file cannot take the task as an argument; give it {prompt} in input, or {prompt_file}";
  const bytes = Buffer.byteLength(prompt);
  if (bytes <= runLimits.argumentBytes) return undefined;
  return `the task has ${bytes} bytes, an argument at most ${runLimits.argumentBytes}; give it {prompt} in input, or {prompt_file}`;
}
