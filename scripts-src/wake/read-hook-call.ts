import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, quote } from "../base/json.ts";
import { isSafeName } from "../base/names.ts";
import { nameHint } from "../base/nearest-name.ts";
import { type CliProcess, cliProcess } from "../clis/cli-process.ts";
import { registryFolder } from "../clis/cli-registry.ts";
import { type HookedCli, hookEntries, hookedClis, hookTrial } from "../clis/hook-entries.ts";
import { existsSync, isFolder } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import { systemClock } from "../script/clock.ts";
import { print } from "../script/output.ts";
import { readObjectInTime } from "../script/read-input.ts";
import { markHookRun } from "../session/waiting/presence.ts";
import { findWorkspace, workspaceRoot } from "../session/workspace/workspace.ts";
import { type HookCall, logFailure } from "./hook-call.ts";
import { noteHookRun } from "./hook-state.ts";
import { mayBrainRun } from "./probe-brain.ts";
import { hookEventOf } from "./rules/hook-events.ts";

const projectVariables = { claude: "CLAUDE_PROJECT_DIR", gemini: "GEMINI_PROJECT_DIR" };

const inputBytes = 16_777_216;
/** The CLIs write their input at once; to wait for more would block the CLI. */
const inputMs = 4_000;

/** In a turn of `consult`, and in a CLI that the brain runs, a hook does nothing. */
const insideOurs = ["CONSULTA_FOLDER", "CONSULTA_BRAIN_CHILD"];

/**
 * Reads what a CLI passes to its hook. Returns undefined, after as little work as possible, where
 * there is nothing to do: no workspace and no registration of this CLI, inside a turn of `consult`, an
 * event of no interest, or one for the brain where no brain runs.
 * @throws ConsultaError REFUSED for an unknown CLI.
 */
export async function readHookCall(given: string): Promise<HookCall | undefined> {
  const cli = hookedClis.find((name) => name === given);
  if (cli === undefined) {
    const hint = nameHint(given, hookedClis);
    throw new ConsultaError("REFUSED", `${quote(given)} is no CLI with hooks; ${hint}`);
  }
  if (insideOurs.some((name) => process.env[name] !== undefined)) return undefined;
  let event = "?";
  let root: string | undefined;
  try {
    const here = folderHere();
    root = here === undefined ? undefined : workspaceRoot(here);
    const input = await readEvent();
    event = String(input["hook_event_name"]);
    if (event === hookTrial.event) print(hookTrial.answer);
    if (!isKnown(cli, input)) return undefined;
    const named = process.env[projectVariables[cli]] || undefined;
    const folder = goTo([input["cwd"], here, named]);
    const start = workspaceRoot(folder) === undefined ? (named ?? folder) : folder;
    const found = workspaceRoot(start);
    root = found;
    if (found !== undefined)
      unlessRefused(() => markHookRun(found, participantOf(cli), systemClock.now()));
    const isBrainOnly = hookEventOf(cli, event)?.isBrainOnly === true;
    if (isBrainOnly && (root === undefined || !mayBrainRun(root))) return undefined;
    const running = isBrainOnly ? undefined : await ownProcess(cli, root !== undefined);
    if (running !== undefined) unlessRefused(() => noteHookRun(homeFolder(), running));
    if (root === undefined && !isRegistered(running)) return undefined;
    const workspace = root === undefined ? undefined : findWorkspace(start);
    const project = workspace?.project ?? folder;
    const prompt = String(input["prompt"] ?? "");
    const isResumed = input["source"] === "resume";
    const about = { cli, event, input, prompt, isResumed, home: homeFolder(), process: running };
    return { ...about, workspace, root, project };
  } catch (cause) {
    logFailure({ cli, event, root }, cause);
    return undefined;
  }
}

async function readEvent(): Promise<Record<string, unknown>> {
  const text = await readObjectInTime(inputBytes, inputMs);
  if (text === undefined) {
    const reason = `no whole JSON object came on standard input in ${inputMs / 1_000} s`;
    throw new ConsultaError("UNAVAILABLE", `${reason}; write the event's JSON to it at once`);
  }
  const input: unknown = JSON.parse(text);
  if (isRecord(input)) return input;
  throw new ConsultaError("REFUSED", "the hook's input is no JSON object");
}

/** A failure to leave a sign must not stop the rest of the hook. */
function unlessRefused(leaveSign: () => void): void {
  try {
    leaveSign();
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
  }
}

/** The participant that this CLI acts for where it is not registered. */
function participantOf(cli: HookedCli): string {
  const given = process.env["CONSULTA_PARTICIPANT"] ?? "";
  return isSafeName(given) ? given : cli;
}

function isKnown(cli: HookedCli, { hook_event_name, trigger }: Record<string, unknown>): boolean {
  const entry = hookEntries[cli].find(({ event }) => event === hook_event_name);
  return entry !== undefined && (entry.matcher === undefined || entry.matcher === trigger);
}

/** Where the hook was started; undefined when that folder is gone. */
function folderHere(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Goes to the first folder that is there, where the CLI's shell commands run: printed paths fit. */
function goTo(folders: readonly unknown[]): string {
  const isThere = (it: unknown): it is string => typeof it === "string" && isFolder(it);
  const folder = folders.find(isThere);
  if (folder !== undefined) process.chdir(folder);
  return process.cwd();
}

/** This CLI's process; undefined where its user has nothing of Consulta. */
async function ownProcess(cli: HookedCli, isWanted: boolean): Promise<CliProcess | undefined> {
  return isWanted || existsSync(registryFolder(homeFolder())) ? cliProcess(cli) : undefined;
}

function isRegistered(running: CliProcess | undefined): boolean {
  const folder = registryFolder(homeFolder());
  return running !== undefined && existsSync(join(folder, `${running.pid}.json`));
}
