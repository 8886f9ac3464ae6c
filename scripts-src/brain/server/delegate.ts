import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import { variablesOf } from "../../clis/driver-profile.ts";
import { commandOf, findCliProgram } from "../../clis/find-program.ts";
import { driverProfiles } from "../../clis/known-drivers.ts";
import { withoutParentCli } from "../../clis/parent-cli-variables.ts";
import { passedVariables } from "../../clis/passed-variables.ts";
import { type ProcessBounds, type ProcessEnd, runProcess } from "../../clis/run-process.ts";
import { ownSettingsFile, readOwnSettings, readPassedNames } from "../../clis/user-settings.ts";
import { delegateAnswer, expectsJson } from "../rules/delegate-answer.ts";
import { brainLimits } from "../rules/limits.ts";
import { rpcFailure } from "../rules/rpc-errors.ts";
import type { UserSettings } from "./user-settings.ts";

type Settings = Pick<UserSettings, "delegate" | "delegateTimeoutMs" | "chunkBytes">;

export interface DelegateOptions {
  /** Asked for each time: a user who was told to name a delegate need not restart the brain. */
  readonly settings: () => Promise<Settings>;
  /** The project's folder: nothing in it is ever run. */
  readonly project: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Gemini CLI reads and searches headless; it may not write, and runs no shell. */
export const defaultDelegate = "gemini";
const defaultOptions = ["--output-format", "json", "--approval-mode", "default"];

/** What a CLI that is stopped would still say is not worth waiting for: it is killed at once. */
const bounds: ProcessBounds = {
  outputBytes: brainLimits.delegateOutputBytes,
  errorBytes: 8_192,
  killAfterMs: 0,
  drainMs: 500,
};

/** The headless CLI that digests and searches; it is given one thing at a time. */
export class Delegate {
  readonly #options: DelegateOptions;
  #isBusy = false;

  constructor(options: DelegateOptions) {
    this.#options = options;
  }

  async describe(): Promise<JsonObject> {
    const settings = await this.#settings();
    if ("fault" in settings) return { configured: false, fault: settings.fault };
    const command = this.#command(settings);
    return command === undefined
      ? { configured: false }
      : { configured: true, provider: providerOf(command), busy: this.#isBusy };
  }

  /**
   * Runs some work with the delegate alone.
   * @throws RpcFailure NO_DELEGATE or BUSY.
   */
  async alone<T>(work: (ask: Ask, use: Use) => Promise<T>, signal: AbortSignal): Promise<T> {
    const settings = await this.#settings();
    if ("fault" in settings) throw rpcFailure("NO_DELEGATE", settings.fault);
    const command = this.#command(settings);
    if (command === undefined) {
      const way = 'such as "delegate: [gemini, --output-format, json]", or install Gemini CLI';
      throw rpcFailure("NO_DELEGATE", `name one under brain: in ~/.consulta/config.yaml, ${way}`);
    }
    if (this.#isBusy) throw rpcFailure("BUSY", "the delegate works on something else");
    this.#isBusy = true;
    try {
      const { delegateTimeoutMs: timeoutMs, chunkBytes } = settings;
      const ask: Ask = (prompt) => this.#ask({ command, timeoutMs }, prompt, signal);
      return await work(ask, { provider: providerOf(command), chunkBytes });
    } finally {
      this.#isBusy = false;
    }
  }

  async #ask(
    { command, timeoutMs }: { command: readonly string[]; timeoutMs: number },
    prompt: string,
    signal: AbortSignal,
  ): Promise<string> {
    // An empty folder: what the CLI finds in a project would be instructions to it.
    const folder = mkdtempSync(join(tmpdir(), "consulta-delegate-"));
    const { environment } = this.#options;
    try {
      const passed = await delegateVariables(providerOf(command), environment);
      const own = { ...passed, CONSULTA_BRAIN_CHILD: "1" };
      const [program = "", ...words] = command;
      const request = {
        ...commandOf(program, words),
        // What an answer of the delegate, or a memory, still holds does not leave the machine either.
        ...{ folder, environment: own, input: withoutSecrets(prompt), timeoutMs, bounds },
      };
      const end = await runProcess(request, signal);
      return answerOf(end, timeoutMs, expectsJson(command));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async #settings(): Promise<Settings | { readonly fault: string }> {
    try {
      return await this.#options.settings();
    } catch (cause) {
      if (cause instanceof ConsultaError) return { fault: cause.message };
      throw cause;
    }
  }

  /** None where it is switched off, or no Gemini CLI is installed to be the default. */
  #command({ delegate: command }: Settings): readonly string[] | undefined {
    const { project, environment } = this.#options;
    if (command !== undefined) return command.length === 0 ? undefined : command;
    const found = findCliProgram(defaultDelegate, environment, project);
    return found === undefined ? undefined : [found, ...defaultOptions];
  }
}

type Ask = (prompt: string) => Promise<string>;

/** What a call has to know of the delegate. */
interface Use {
  readonly provider: string;
  readonly chunkBytes: number;
}

/** What a delegate is given: as a driven CLI, what its profile lists and what the user names. */
async function delegateVariables(provider: string, environment: DelegateOptions["environment"]) {
  const { drivers } = await readOwnSettings(environment);
  const profiles = driverProfiles(defined({ drivers }), ownSettingsFile);
  const profile = profiles.find(({ name }) => name === provider);
  const names = profile === undefined ? [] : variablesOf(profile);
  const passed = [...names, ...(await readPassedNames(environment))];
  return passedVariables(withoutParentCli(environment), passed);
}

/** @throws RpcFailure TIMEOUT or DELEGATE_FAILED with what the CLI said. */
function answerOf(end: ProcessEnd, timeoutMs: number, isJsonExpected: boolean): string {
  if (end.stopped === "timeout") {
    const way = "brain: timeout_seconds in ~/.consulta/config.yaml gives it longer";
    throw rpcFailure("TIMEOUT", `the delegate took more than ${timeoutMs / 1_000} s; ${way}`);
  }
  const answer = delegateAnswer({ ...outputOf(end), isJsonExpected });
  if (answer.ok) return answer.text;
  const { exitCode } = end;
  throw rpcFailure("DELEGATE_FAILED", answer.reason, { exit: exitCode, error: answer.reason });
}

function outputOf({ stdout, stderr, exitCode, killedBy, ...end }: ProcessEnd) {
  const killed = killedBy === undefined ? undefined : `it was killed by ${killedBy}`;
  const unstarted =
    end.unstarted === undefined ? undefined : `it cannot be started: ${end.unstarted}`;
  const stopped = unstarted ?? (end.stopped === undefined ? killed : reasons[end.stopped]);
  return { stdout, stderr, exitCode, ...defined({ stopped }) };
}

const reasons = {
  timeout: "it took too long",
  output: `it printed more than ${brainLimits.delegateOutputBytes} bytes`,
  aborted: "nobody waits for it any more",
} as const;

function providerOf(command: readonly string[]): string {
  return basename(command[0] ?? "").replace(/\.(?:exe|cmd|bat)$/i, "");
}
