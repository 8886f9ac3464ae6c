import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  spawn,
  spawnSync,
} from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeCache } from "../code-cache.ts";
import { type Ran, scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { runInThread, runsInThread } from "../script-host.ts";
import { sampleProject } from "./sample-project.ts";

const scratch = makeScratchFolder();
/** Projects that were prepared once, by the folder that their files came from; "" is the sample. */
const models = new Map<string, string>();
let scenes = 0;

/** No model's CLI and no setting of ours reaches the scripts from here. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:CONSULTA_|CLAUDE|GEMINI|CODEX|OPENCODE|CURSOR|NODE_OPTIONS|NODE_TEST|GIT_)/.test(name),
  ),
);

/** The same commit has the same name every time. */
const dates = {
  GIT_AUTHOR_DATE: "2026-11-23T00:00:00Z",
  GIT_COMMITTER_DATE: "2026-11-23T00:00:00Z",
};

function git(folder: string, args: readonly string[]): void {
  const named = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "gc.auto=0"];
  const env = { ...environment, ...dates };
  const ran = spawnSync("git", ["-C", folder, ...named, ...args], { encoding: "utf8", env });
  if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
}

function modelOf(source: string): string {
  const known = models.get(source);
  if (known !== undefined) return known;
  const model = join(scratch, `model-${models.size}`);
  if (source === "") writeSample(model);
  else cpSync(source, model, { recursive: true });
  git(model, ["init", "-q", "-b", "main"]);
  git(model, ["add", "."]);
  git(model, ["commit", "-q", "-m", "A project"]);
  models.set(source, model);
  return model;
}

function writeSample(model: string): void {
  for (const [path, text] of Object.entries(sampleProject)) {
    mkdirSync(dirname(join(model, path)), { recursive: true });
    writeFileSync(join(model, path), text);
  }
}

/** The CLI of which a variable tells. */
const cliOf = new Map([
  ["CLAUDECODE", "claude"],
  ["GEMINI_CLI", "gemini"],
]);

function outcomeOf(child: ChildProcessWithoutNullStreams, input: string): Promise<Ran> {
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (part: string) => {
      said[name] += part;
    });
  // A script that rejects its words does not read its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((settle) => child.on("close", (code) => settle({ code, ...said })));
}

/** A process with the name of an AI CLI that runs scripts, one after the other, as its children. */
class FakeCli {
  readonly #child: ChildProcess;

  constructor(folder: string, name: string) {
    mkdirSync(folder, { recursive: true });
    symlinkSync(process.execPath, join(folder, name));
    const program = `process.on("message", ({ words, input, ...options }) => {
      const { spawnSync } = require("node:child_process");
      const { status, stdout, stderr } = spawnSync(${JSON.stringify(process.execPath)}, words,
        { ...options, input, encoding: "utf8" });
      process.send({ code: status, stdout, stderr });
    }); process.on("disconnect", () => process.exit());`;
    this.#child = spawn(join(folder, name), ["-e", program], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: environment,
    });
  }

  run(
    words: readonly string[],
    options: { cwd: string; env: Record<string, string | undefined>; input: string },
  ): Promise<Ran> {
    return new Promise((settle) => {
      this.#child.once("message", (ran: Ran) => settle(ran));
      this.#child.send({ words, ...options });
    });
  }

  end(): void {
    this.#child.disconnect();
  }
}

/** A project of its own and a home of its own, in which the built scripts run. */
export class Stage {
  readonly folder: string;
  readonly home: string;
  readonly #clis = new Map<string, FakeCli>();

  constructor(config: string | undefined, project = "") {
    scenes += 1;
    const place = join(scratch, String(scenes));
    this.folder = join(place, "project");
    this.home = join(place, "home");
    cpSync(modelOf(project), this.folder, { recursive: true });
    mkdirSync(join(this.home, ".consulta"), { recursive: true, mode: 0o700 });
    if (config === undefined) return;
    writeFileSync(join(this.home, ".consulta", "config.yaml"), config, { mode: 0o600 });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  git(args: readonly string[]): void {
    git(this.folder, args);
  }

  async run(
    script: string,
    args: readonly string[],
    input = "",
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    const words = [scriptPath(script), ...args];
    const [mark] = Object.keys(env);
    const own = { ...environment, HOME: this.home, XDG_CACHE_HOME: codeCache, ...env };
    const cli = mark === undefined ? undefined : cliOf.get(mark);
    if (cli !== undefined) return this.#cli(cli).run(words, { cwd: this.folder, env: own, input });
    if (runsInThread(script, args))
      return runInThread({ script, args, input, environment: own }, this.folder);
    const child = spawn(process.execPath, words, { cwd: this.folder, env: own });
    return outcomeOf(child, input);
  }

  /** One process of a CLI for all that it runs here. */
  #cli(name: string): FakeCli {
    const known = this.#clis.get(name) ?? new FakeCli(join(this.home, "bin"), name);
    this.#clis.set(name, known);
    return known;
  }

  remove(): void {
    for (const cli of this.#clis.values()) cli.end();
    removeFolder(dirname(this.folder));
  }
}
