import { join } from "node:path";
import { isRecord, listIn } from "../base/json.ts";
import { type CliProcess, isConversation } from "../clis/cli-process.ts";
import {
  isSameRole,
  makeRegistryFolder,
  readJsonObject,
  registryFolder,
  registryName,
  type SeatName,
} from "../clis/cli-registry.ts";
import { namesIn, writeFileAtomically } from "../files/atomic-file.ts";
import { orNothing } from "../files/disk.ts";
import { discard } from "../files/safe-open.ts";
import { alerts, type WakeReminders } from "./rules/wake-policy.ts";

/** What the hooks of one running CLI remember from call to call. */
export interface HookMemory {
  /** Whether a hook of ours has run under this CLI: then it has our hooks, and may run them here. */
  readonly hasRun: boolean;
  /** The name of the hook that waits now; an older one that still waits finds another name here and ends. */
  readonly waiter: string;
  /** Whether its conversation was begun again or shortened, so that its model has lost what it was told. */
  readonly hasForgotten: boolean;
  /** Whether a conversation of an earlier process goes on in it. */
  readonly isResumed: boolean;
  /** What it was told, of each session; what was told last comes last. */
  readonly told: readonly ToldRole[];
}

/** What a CLI was told of one session, for the participant that it is there. */
export type ToldRole = WakeReminders & SeatName;

/** Of so many sessions it is remembered what was told, the newest. */
const toldMax = 128;

const memoryEnd = ".hook.json";

/** What the hooks of a CLI remember; nothing where that is missing, damaged or of another process. */
export function readMemory(home: string, cli: CliProcess): HookMemory {
  const value = readJsonObject(pathOf(home, cli));
  return value?.["started"] === cli.started ? memoryIn(value) : nothing;
}

/** The same for a conversation that has a name of its own, whichever process it goes on in. */
export function readMemoryOf(home: string, conversation: string): HookMemory {
  const value = readJsonObject(join(registryFolder(home), `${conversation}${memoryEnd}`));
  return value === undefined ? nothing : memoryIn(value);
}

function memoryIn(value: Readonly<Record<string, unknown>>): HookMemory {
  const { waiter, hasForgotten, isResumed, told } = value;
  return {
    hasRun: true,
    waiter: typeof waiter === "string" ? waiter : "",
    hasForgotten: hasForgotten === true,
    isResumed: isResumed === true,
    told: listIn(told).filter(isTold),
  };
}

const nothing: HookMemory = {
  ...{ hasRun: false, waiter: "", hasForgotten: false, isResumed: false },
  told: [],
};

/**
 * Changes what the hooks of a CLI remember.
 * @throws ConsultaError when it cannot be written.
 */
export function changeHookMemory(
  home: string,
  cli: CliProcess,
  change: Partial<Omit<HookMemory, "hasRun">>,
): void {
  makeRegistryFolder(home);
  const { hasRun: _, ...known } = { ...readMemory(home, cli), ...change };
  const memory = { started: cli.started, ...known };
  writeFileAtomically(pathOf(home, cli), `${JSON.stringify(memory)}\n`, { sync: "nothing" });
}

/**
 * Forgets that hooks ran in conversations that have a role in a workspace, as its hooks are taken away: their names
 * outlive their process. Those that run on say so again.
 */
export function forgetConversations(home: string, root: string): void {
  for (const name of orNothing(() => namesIn(join(root, "presence"))) ?? []) {
    const [, conversation] = /^(.+)\.roles$/.exec(name) ?? [];
    if (isConversation(conversation))
      discard(join(registryFolder(home), `${conversation}${memoryEnd}`));
  }
}

/**
 * Leaves a sign that hooks run in this process, for scripts that its model runs.
 * @throws ConsultaError when it cannot be written.
 */
export function noteHookRun(home: string, cli: CliProcess): void {
  if (!readMemory(home, cli).hasRun) changeHookMemory(home, cli, {});
}

/**
 * Remembers what a CLI was told of these sessions just now.
 * @throws ConsultaError when it cannot be written.
 */
export function rememberTold(home: string, cli: CliProcess, news: readonly ToldRole[]): void {
  const { told } = readMemory(home, cli);
  const others = told.filter((it) => !news.some((one) => isSameRole(one, it)));
  changeHookMemory(home, cli, { told: [...others, ...news].slice(-toldMax) });
}

/** What a CLI was told of a session, for the participant that it is there; undefined for nothing. */
export function toldOf({ told }: HookMemory, of: SeatName) {
  return told.find((it) => isSameRole(it, of));
}

function isTold(value: unknown): value is ToldRole {
  if (!isRecord(value)) return false;
  const { folder, participant, key, rings, alert, announced } = value;
  return (
    [folder, participant, key].every((it) => typeof it === "string") &&
    typeof rings === "number" &&
    (alert === undefined || alerts.some((known) => known === alert)) &&
    typeof announced === "boolean"
  );
}

function pathOf(home: string, cli: CliProcess): string {
  return join(registryFolder(home), `${registryName(cli)}${memoryEnd}`);
}
