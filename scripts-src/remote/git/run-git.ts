import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type ConsultaError, refused, unavailable } from "../../base/errors.ts";
import { defined } from "../../base/omit-undefined.ts";
import { oneLine, withoutCredentials } from "../../base/visible-text.ts";
import { findProgram } from "../../clis/find-program.ts";
import { signalGroup } from "../../clis/spawn-guarded.ts";
import type { Environment } from "../../files/home-folder.ts";
import { remoteLimits } from "../limits.ts";

export interface GitEnd extends ProgramEnd {
  /** The last of what it said, on one line, without credentials. */
  readonly said: string;
  /** What git found wrong with an object that was pushed by others, on one line. */
  readonly rejected: string | undefined;
}

export interface GitCall extends Partial<Omit<ProgramCall, "folder" | "environment">> {
  readonly words: readonly string[];
  /** Whether it also says, line by line, what it and the host tell each other. */
  readonly isTraced?: boolean;
}

/** @throws ConsultaError REFUSED where there is none, or only one that a project brings; `why` it is needed. */
export function requireProgram(
  name: string,
  { projects }: Pick<GitPlace, "projects">,
  why: string,
): string {
  const found = findProgram(name, process.env, ...projects);
  if (found !== undefined) return found;
  throw refused(`there is no ${name} on PATH, and ${why}`);
}

/** What no setting of the user's may change: no hooks, no prompts, no housekeeping; TLS is verified. */
const settings = [
  ...["gc.auto=0", "maintenance.auto=false", "core.hooksPath=/dev/null", "core.fsmonitor=false"],
  ...["transfer.fsckObjects=true", "fetch.fsckObjects=true", "protocol.version=2"],
  ...["core.askPass=", "credential.interactive=false", "http.sslVerify=true"],
  ...["http.lowSpeedLimit=1", "http.lowSpeedTime=20", "push.gpgSign=false"],
  ...["push.followTags=false", "push.recurseSubmodules=no", "fetch.recurseSubmodules=no"],
  // What the user asks of their host with each push of code, such as a merge request: an empty one clears them.
  "push.pushOption=",
  ...["fetch.prune=false", "core.quotePath=false", "core.filesRefLockTimeout=2000"],
].flatMap((setting) => ["-c", setting]);

/** Of git's own variables only those that lead to a host and prove who one is. */
const keptVariables =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_CAINFO|SSL_CAPATH|SSL_CERT|SSL_KEY|PROXY_\w+|EXEC_PATH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+))$/;

/** Where git runs: in a repository of ours, or in the project's folder to ask what is set there. */
export interface GitPlace {
  readonly folder: string;
  readonly repository?: string;
  /** Folders that must not name the program. */
  readonly projects: readonly string[];
  /** Variables beside those of the user. */
  readonly environment?: Environment;
}

export class Git {
  readonly #place: GitPlace;
  readonly #program: string;
  readonly #environment: Environment;

  /** @throws ConsultaError REFUSED where there is no git, or only one that a project brings. */
  constructor(place: GitPlace) {
    this.#place = place;
    this.#program = requireProgram(
      "git",
      place,
      "this session is kept on a git remote: install git",
    );
    this.#environment = environmentFor(place);
  }

  /** The repository of ours, or the project's folder. */
  get repository(): string {
    return this.#place.repository ?? this.#place.folder;
  }

  with(environment: Environment): Git {
    return new Git({ ...this.#place, environment: { ...this.#place.environment, ...environment } });
  }

  async run({ words, input = "", isTraced = false, ...limits }: GitCall): Promise<GitEnd> {
    const { folder } = this.#place;
    const trace = isTraced ? { GIT_TRACE_PACKET: "1" } : {};
    const end = await runProgram(this.#program, [...settings, ...words], {
      ...{ folder, environment: { ...this.#environment, ...trace }, input },
      ...(isTraced ? { heardCharacters: remoteLimits.outputBytes } : {}),
      ...{ timeoutMs: remoteLimits.callMs, ...limits },
    });
    return { ...end, said: faultIn(end.stderr), rejected: rejectedIn(end.stderr) };
  }

  /** What it prints. @throws Error where it fails: that would be a bug, or a broken repository of ours. */
  async ask(words: readonly string[], input?: Uint8Array | string): Promise<Buffer> {
    const end = await this.run(defined({ words, input }));
    if (end.exitCode === 0) return end.stdout;
    throw this.failed(words, end);
  }

  /** The lines that it prints, as `ask`. */
  async lines(words: readonly string[], input?: string): Promise<string[]> {
    const printed = (await this.ask(words, input)).toString("latin1");
    return printed.split("\n").filter((line) => line !== "");
  }

  /** What to say where git fails in a repository of ours. */
  failed(words: readonly string[], end: GitEnd): ConsultaError {
    const why = end.exitCode === undefined ? "it took too long, or printed too much" : end.said;
    const way = /\.lock': File exists/.test(end.stderr)
      ? "a git that was stopped has left that file: remove it"
      : "git fsck says there what is wrong";
    return unavailable(
      `git ${words[0]} failed in ${this.repository}: ${why}; run the same command again; if it fails again, ${way}. Keep that folder: it knows which event was seen last, by which rewritten history shows`,
    );
  }
}

function environmentFor({ repository, environment = {} }: GitPlace): Environment {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("GIT_") || keptVariables.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    ...defined({ GIT_DIR: repository }),
    LC_ALL: "C",
    LANGUAGE: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
    // Nothing that runs a program of the address's choice.
    GIT_ALLOW_PROTOCOL: "file:http:https:ssh",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_PARAMETERS: undefined,
    ...environment,
  };
}

/** How far a fetch has come, in lines of git's here and of the host's, and what they tell each other. */
const progress =
  /^(?:remote: )?(?:(?:Enumerating|Counting|Compressing|Receiving) objects|Resolving deltas|Total )|^\d\d:\d\d:\S+ .* packet: /;

/** The first line in which git, ssh or the host says what is wrong, else the last of all. */
export function faultIn(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== "" && !progress.test(line));
  const telling = lines.filter((line) =>
    /^(?:fatal|error|remote:.*\p{L}|ssh|Host key|.*denied)/iu.test(line),
  );
  const [first] = telling.filter((line) => !/^error: failed to push/.test(line));
  const line = first ?? lines.at(-1) ?? "git said nothing";
  return withoutCredentials(oneLine(line)).slice(0, remoteLimits.faultCharacters);
}

/** What is wrong with the first object that does not pass git's own check: git names it before it ends. */
function rejectedIn(stderr: string): string | undefined {
  const line = stderr
    .split(/[\r\n]+/)
    .find((it) => /^error: object [0-9a-f]{40,64}: \w+: /.test(it));
  return line && oneLine(line.slice("error: ".length)).slice(0, remoteLimits.faultCharacters);
}

/** ssh asks nothing: neither for a password nor whether it knows a host. */
export async function withQuietSsh(git: Git): Promise<Git> {
  const { GIT_SSH, GIT_SSH_COMMAND } = process.env;
  const set = (await git.run({ words: ["config", "--get", "core.sshCommand"] })).stdout;
  const named = GIT_SSH_COMMAND ?? set.toString("utf8").trim();
  // git calls such a program only where neither of those is, and it need not know these options.
  if (named === "" && GIT_SSH !== undefined) return git;
  const command = named || "ssh";
  return git.with({ GIT_SSH_COMMAND: `${command} -o BatchMode=yes -o ConnectTimeout=15` });
}

export interface ProgramCall {
  readonly folder: string;
  readonly environment: Environment;
  readonly input: Uint8Array | string;
  readonly timeoutMs: number;
  /** So long it may say nothing, where it is to tell of its progress. */
  readonly silentMs?: number;
  /** So much it may print. */
  readonly outputBytes?: number;
  /** So much of the end of what it says is heard. */
  readonly heardCharacters?: number;
}

export interface ProgramEnd {
  /** Undefined where it took too long, or printed too much. */
  readonly exitCode: number | undefined;
  /** Whether it was ended because it printed too much. */
  readonly isTooMuch: boolean;
  readonly stdout: Buffer;
  /** The end of it: see `heardCharacters`. */
  readonly stderr: string;
}

/** Runs a program that asks nobody: it, and what it starts, finds no terminal. */
export async function runProgram(
  program: string,
  words: readonly string[],
  { folder, environment, input, timeoutMs, ...limits }: ProgramCall,
): Promise<ProgramEnd> {
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...environment },
    // A group of its own: git starts others, and ssh finds no terminal to ask at.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { silentMs = timeoutMs, outputBytes = remoteLimits.outputBytes } = limits;
  const { heardCharacters = 16_384 } = limits;
  let isCut = false;
  const cut = () => {
    isCut = true;
    signalGroup(child, "SIGKILL");
  };
  const [timer, silence] = [setTimeout(cut, timeoutMs), setTimeout(cut, silentMs)];
  const stdout: Buffer[] = [];
  let bytes = 0;
  let stderr = "";
  child.stdout.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes > outputBytes) cut();
    else stdout.push(part);
  });
  child.stderr.on("data", (part: Buffer) => {
    silence.refresh();
    stderr = (stderr + part.toString("utf8")).slice(-heardCharacters);
  });
  leaveAtExit(child);
  // One that ends before it has read everything is judged by how it ended.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  try {
    const [code]: unknown[] = await once(child, "close");
    const exitCode = typeof code === "number" ? code : 128;
    return {
      exitCode: isCut ? undefined : exitCode,
      isTooMuch: bytes > outputBytes,
      stdout: Buffer.concat(stdout),
      stderr,
    };
  } finally {
    clearTimeout(timer);
    clearTimeout(silence);
  }
}

/** What it leaves running may hold its standard error, such as the connection that ssh keeps for later calls. */
function leaveAtExit(child: ChildProcess): void {
  // What it said before is read in between.
  const leave = () => setImmediate(() => child.stderr?.destroy());
  child.once("exit", () => setTimeout(leave, remoteLimits.leftOpenMs).unref());
}
