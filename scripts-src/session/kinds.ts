import { join } from "node:path";
import { existsSync } from "../files/disk.ts";
import type { Kind, SessionStatus } from "../protocol/protocol.ts";
import { withPerson } from "../protocol/with-person.ts";
import type { Arguments, OptionSpec, ScriptSpec } from "../script/arguments.ts";
import type { Place } from "./place.ts";

/** How a kind of session is known and loaded. */
interface KindEntry {
  /** The event that begins a log of it. */
  readonly begins: string;
  readonly load: () => Promise<Kind>;
  readonly opener: () => Promise<Opener>;
  /** Enters in the log what participants wrote by hand and the rules alone cannot read. */
  readonly recorder?: () => Promise<FileRecorder>;
  /** How a folder is known that others made without a log of ours. */
  readonly foreign?: {
    readonly files: readonly string[];
    /** These make a session by themselves; otherwise its log may begin with any event. */
    readonly needNoLog?: true;
    /** What a folder outside of workspaces is taken for that shows nothing else. */
    readonly byDefault?: true;
  };
}

/**
 * The registration: the kinds of sessions that Consulta knows. What a kind is made of is in the rooms; its
 * entries here make it known. Each is loaded when a session of its kind is: a script pays for one only.
 * This is the one file that loads from rooms below.
 */
const kinds = {
  dialogue: {
    begins: "opened",
    load: async () => withPerson((await import("../dialogue/dialogue.ts")).dialogue),
    opener: async () => (await import("./init-dialogue.ts")).dialogueInit,
  },
  collaboration: {
    begins: "initialized",
    load: async () =>
      withPerson((await import("../collaboration/rules/collaboration.ts")).collaboration),
    opener: async () =>
      (await import("../collaboration/init-collaboration.ts")).collaborationOpener,
    foreign: { files: ["proposal.md"], byDefault: true },
  },
  findings: {
    begins: "board_opened",
    load: async () => withPerson((await import("../findings/rules/findings.ts")).findings),
    opener: async () => (await import("../findings/open-board.ts")).boardOpener,
    recorder: async () => (await import("../findings/record-findings.ts")).recordAllFindings,
    foreign: { files: ["meta.md", "agents.md"], needNoLog: true },
  },
} satisfies Record<string, KindEntry>;

export type KindName = keyof typeof kinds;

const entries: readonly (readonly [string, KindEntry])[] = Object.entries(kinds);

export const kindNames: readonly string[] = entries.map(([name]) => name);

/** The kind of that name, as a checkpoint has it; undefined when nobody knows it. */
export async function kindNamed(name: unknown): Promise<Kind | undefined> {
  return entries.find(([known]) => known === name)?.[1].load();
}

/** The kind whose logs begin with that event. */
export async function kindBegunBy(event: string): Promise<Kind | undefined> {
  return entries.find(([, { begins }]) => begins === event)?.[1].load();
}

/** The kind of a session that a folder's own files make, before it has a log; undefined for none. */
export function kindWithoutLog(folder: string): string | undefined {
  return entries.find(([, { foreign }]) => foreign?.needNoLog && isShown(foreign, folder))?.[0];
}

/** The kind that others may have begun in a folder, whatever its log begins with. */
export function kindBegunByOthers(folder: string, isAlone: boolean): string | undefined {
  const found = entries.find(
    ([, { foreign }]) => foreign && (isShown(foreign, folder) || (isAlone && foreign.byDefault)),
  );
  return kindWithoutLog(folder) ?? found?.[0];
}

function isShown({ files }: NonNullable<KindEntry["foreign"]>, folder: string): boolean {
  return files.every((name) => existsSync(join(folder, name)));
}

export function isKindName(name: unknown): name is KindName {
  return typeof name === "string" && Object.hasOwn(kinds, name);
}

type FileRecorder = typeof import("../findings/record-findings.ts").recordAllFindings;

export async function fileRecorderOf(kind: string): Promise<FileRecorder | undefined> {
  return entries.find(([name]) => name === kind)?.[1].recorder?.();
}

export async function openersOfKinds(): Promise<Readonly<Record<string, Opener>>> {
  const loaded = entries.map(async ([name, { opener }]) => [name, await opener()] as const);
  return Object.fromEntries(await Promise.all(loaded));
}

/** How `init` opens a session of one kind. */
export interface Opener {
  /** What it opens and what asks for it, as `--help` says. */
  readonly opens: string;
  /** The same where the command line asks for nothing, or for too much. */
  readonly askedBy: string;
  /** The option that asks for it; undefined where a positional word does. */
  readonly key?: string;
  readonly positionals?: readonly string[];
  readonly options: readonly OptionSpec[];
  /** Options that no other kind lets pass. */
  readonly own?: readonly string[];
  readonly ownExitCodes?: NonNullable<ScriptSpec["ownExitCodes"]>;
  readonly notes: readonly string[];
  /** Opens it and says so; returns the exit code where that is not 0. */
  open(args: Arguments, register: Register): Promise<number | undefined>;
}

/** Notes that the CLI which runs this acts for a participant. */
export type Register = (
  place: Place,
  participant: string,
  status: SessionStatus,
) => Promise<unknown>;
