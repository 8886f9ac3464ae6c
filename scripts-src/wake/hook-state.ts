import { join } from "node:path";
import { isRecord } from "../base/json.ts";
import type { CliProcess } from "../clis/cli-process.ts";
import {
  makeRegistryFolder,
  type Registration,
  readJsonObject,
  registryFolder,
  registryName,
} from "../clis/cli-registry.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
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
export type ToldRole = WakeReminders & Pick<Registration, "folder" | "participant">;

/** Of so many sessions it is remembered what was told, the newest. */
const toldMax = 128;

/** What the hooks of a CLI remember; nothing where that is missing, damaged or of another process. */
export function readMemory(home: string, cli: CliProcess): HookMemory {
  const value = readJsonObject(pathOf(home, cli));
  return value?.["started"] === cli.started ? memoryIn(value) : nothing;
}

/** The same for a conversation that has a name of its own, whichever process it goes on in. */
export function readMemoryOf(home: string, conversation: string): HookMemory {
  const value = readJsonObject(join(registryFolder(home), `${conversation}.hook.json`));
  return value === undefined ? nothing : memoryIn(value);
}

function memoryIn(value: Readonly<Record<string, unknown>>): HookMemory {
  const { waiter, hasForgotten, isResumed, told } = value;
  return {
    hasRun: true,
    waiter: typeof waiter === "string" ? waiter : "",
    hasForgotten: hasForgotten === true,
    isResumed: isResumed === true,
    told: Array.isArray(told) ? told.filter(isTold) : [],
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
  const others = told.filter((it) => !news.some((one) => isOf(one, it)));
  changeHookMemory(home, cli, { told: [...others, ...news].slice(-toldMax) });
}

/** What a CLI was told of a session, for the participant that it is there; undefined for nothing. */
export function toldOf({ told }: HookMemory, of: Pick<Registration, "folder" | "participant">) {
  return told.find((it) => isOf(it, of));
}

function isOf(
  one: Pick<Registration, "folder" | "participant">,
  of: Pick<Registration, "folder" | "participant">,
) {
  return one.folder === of.folder && one.participant === of.participant;
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
  return join(registryFolder(home), `${registryName(cli)}.hook.json`);
}
