import { join } from "node:path";
import { ConsultaError, refused, unavailable } from "../base/errors.ts";
import { isRecord, quote } from "../base/json.ts";
import { nameHint } from "../base/nearest-name.ts";
import { oneLine, visibleText } from "../base/visible-text.ts";
import { type CliProcess, cliProcess, insideOurs, isConversation } from "../clis/cli-process.ts";
import { handoverPath, registryFolder, registryName, takeRolesOver } from "../clis/cli-registry.ts";
import {
  cliFacts,
  type HookedCli,
  hookedClis,
  hookTrial,
  type Moment,
  momentOf,
} from "../clis/hook-entries.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync, isFolder } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { ensureUserKey } from "../files/user-key.ts";
import { systemClock } from "../script/clock.ts";
import { print } from "../script/output.ts";
import { readObjectInTime } from "../script/read-input.ts";
import { findWorkspace, type Workspace, workspaceRoot } from "../session/workspace/workspace.ts";
import { changeHookMemory, noteHookRun } from "./hook-state.ts";

/** One call of a hook by a CLI. */
export interface HookCall {
  readonly cli: HookedCli;
  /** The CLI's name of what happened. */
  readonly event: string;
  readonly moment: Moment;
  /** All that the CLI says of the event. */
  readonly input: HookInput;
  /** The folder in which the hook was started. */
  readonly startedIn: string;
  /** The user's own folder. */
  readonly home: string;
  /** The CLI's process; undefined where none can be told. */
  readonly process: CliProcess | undefined;
  readonly workspace: Workspace | undefined;
  /** The workspace's folder, where failures are noted; undefined outside of a workspace. */
  readonly root: string | undefined;
  /** The folder of the project: the workspace's, else where the CLI is. */
  readonly project: string;
  readonly memory: ContextMemory | undefined;
}

/** The fields of an event that a CLI tells its hook of. */
export type HookInput = Readonly<Record<string, unknown>>;

/** What is told of each event of a CLI and puts texts into its context, beside the sessions: the brain, where there is one. */
export interface ContextMemory {
  /** Whether it wants to hear of each prompt and stop there. */
  readonly listens: (workspace: Workspace) => boolean;
  /** The files of a workspace that change when it has something to tell, and when it begins to listen. */
  readonly files: (root: string) => readonly string[];
  /** Whether it runs and was to be asked at an event. */
  readonly isDue: (call: HookCall) => boolean;
  /** Undefined where it has nothing to do with the event, or cannot be reached. */
  readonly tell: (call: HookCall) => Promise<MemoryAnswer | undefined>;
}

/** Texts that belong before the model now. */
export interface DueTexts {
  readonly texts: readonly string[];
  /** Says that the texts have been printed; without it they are given again. */
  readonly printed: () => Promise<void>;
}

/** What it says of an event; the caller closes it. */
export interface MemoryAnswer extends DueTexts {
  /** Waits for news of the session for so long. */
  readonly news: (seconds: number) => News;
  readonly close: () => void;
}

/** A source of news, other than messages, that may wake a model. */
export interface News {
  /** Calls `notice` when something came, or when nothing will come any more. */
  begin(notice: () => void): void;
  /** What came. */
  came(): DueTexts | undefined;
  /** How long to go on waiting for it; 0 when that is over. */
  leftMs(): number;
}

const inputBytes = 16_777_216;
/** The CLIs write their input at once; to wait for more would block the CLI. */
const inputMs = 4_000;

/**
 * Reads what a CLI passes to its hook. Returns undefined, after as little work as possible, where
 * there is nothing to do: no workspace and no registration of this CLI, inside a turn of `consult`, or an
 * event of no interest.
 * @throws ConsultaError REFUSED for an unknown CLI.
 */
export async function readHookCall(
  given: string,
  { memory }: { readonly memory?: ContextMemory } = {},
): Promise<HookCall | undefined> {
  const cli = hookedClis.find((name) => name === given);
  if (cli === undefined) {
    const hint = nameHint(given, hookedClis);
    throw refused(`${quote(given)} is no CLI with hooks; ${hint}`);
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
    // Of what runs inside a CLI, and can keep no reason by itself.
    if (typeof input["failure"] === "string") {
      // It was not told what a hook had counted as told.
      const failed = "session_id" in input ? await ownProcess(cli, input, root) : undefined;
      if (failed !== undefined) changeHookMemory(homeFolder(), failed, { told: [] });
      throw unavailable(input["failure"]);
    }
    const moment = momentOf(cli, event, input["trigger"]);
    if (moment === undefined) return undefined;
    const named = process.env[cliFacts[cli].project ?? ""] || undefined;
    const folder = goTo([input["cwd"], here, named]);
    const start = workspaceRoot(folder) === undefined ? (named ?? folder) : folder;
    root = workspaceRoot(start);
    const running = await ownProcess(cli, input, root);
    if (root === undefined && !isRegistered(running)) return undefined;
    const workspace = root === undefined ? undefined : findWorkspace(start);
    const project = workspace?.project ?? folder;
    const about = { cli, event, moment, input, startedIn: here ?? "", home: homeFolder(), memory };
    return { ...about, process: running, workspace, root, project };
  } catch (cause) {
    logFailure({ cli, event, root }, cause);
    return undefined;
  }
}

async function readEvent(): Promise<Record<string, unknown>> {
  const { CONSULTA_READ: begun = "" } = process.env;
  delete process.env["CONSULTA_READ"];
  const text = await readObjectInTime(inputBytes, inputMs, begun);
  if (text === undefined) {
    const reason = `no whole JSON object came on standard input in ${inputMs / 1_000} s`;
    throw unavailable(`${reason}; write the event's JSON to it at once`);
  }
  const input: unknown = JSON.parse(text);
  if (isRecord(input)) return input;
  throw refused("the hook's input is no JSON object");
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

/** This CLI's process, noted as one with hooks; undefined where its user has nothing of Consulta. */
async function ownProcess(
  cli: HookedCli,
  { session_id }: HookInput,
  root: string | undefined,
): Promise<CliProcess | undefined> {
  if (root === undefined && !existsSync(registryFolder(homeFolder()))) return undefined;
  const found = await cliProcess(cli);
  const conversation = cliFacts[cli].isByConversation ? session_id : undefined;
  const isNamed = isConversation(conversation);
  if (found === undefined || (conversation !== undefined && !isNamed)) return undefined;
  const running = isNamed ? { ...found, conversation } : found;
  try {
    noteHookRun(homeFolder(), running);
    // A script that cannot write into the home signs with a key that is there.
    if (isNamed && root !== undefined && ensureUserKey())
      takeRolesOver(homeFolder(), running, handoverPath(root, conversation));
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
  }
  return running;
}

function isRegistered(running: CliProcess | undefined): boolean {
  const folder = registryFolder(homeFolder());
  return running !== undefined && existsSync(join(folder, `${registryName(running)}.json`));
}

/**
 * Writes why a hook failed into the workspace, where `doctor` reads it. Nothing is printed or thrown: a hook
 * that fails must not disturb its CLI.
 */
export function logFailure(
  { cli, event, root }: Pick<HookCall, "cli" | "event" | "root">,
  cause: unknown,
): void {
  if (root === undefined) return;
  // Of a bug the stack is kept.
  const told = cause instanceof ConsultaError ? cause.message : Object(cause).stack;
  const reason = oneLine(String(told ?? cause)).slice(0, 500);
  const line = `${systemClock.now()} hook ${cli} ${event}: ${reason}\n`;
  try {
    writeFileAtomically(join(ensureFolder(root, "errors"), "hook.txt"), line, { sync: "nothing" });
  } catch {
    return;
  }
}

/** Puts a text before the model, beside what the event is about; false when the CLI has gone. */
export function printContext({ event }: HookCall, context: string): boolean {
  // What is escaped in JSON alone would reach the model as it was.
  const hookSpecificOutput = { hookEventName: event, additionalContext: visibleText(context) };
  return print(`${JSON.stringify({ hookSpecificOutput })}\n`);
}
