import { join } from "node:path";
import { existsSync } from "../files/disk.ts";
import type { Kind } from "../protocol/protocol.ts";
import { withPerson } from "../protocol/with-person.ts";
import type { Opener } from "./opener.ts";

/** How a kind of session is known and loaded. */
interface KindEntry {
  /** The event that begins a log of it. */
  readonly begins: string;
  readonly load: () => Promise<Kind>;
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
  },
  collaboration: {
    begins: "initialized",
    load: async () =>
      withPerson((await import("../collaboration/rules/collaboration.ts")).collaboration),
    foreign: { files: ["proposal.md"], byDefault: true },
  },
  findings: {
    begins: "board_opened",
    load: async () => withPerson((await import("../findings/rules/findings.ts")).findings),
    foreign: { files: ["meta.md", "agents.md"], needNoLog: true },
  },
} satisfies Record<string, KindEntry>;

export type KindName = keyof typeof kinds;

const entries: readonly (readonly [string, KindEntry])[] = Object.entries(kinds);

export const kindNames: readonly string[] = entries.map(([name]) => name);

/** The kind of that name, as a checkpoint has it; undefined when nobody knows it. */
export async function kindNamed(name: unknown): Promise<Kind | undefined> {
  return isKindName(name) ? kinds[name].load() : undefined;
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

/**
 * What enters in the log of a kind what its participants wrote by hand and its rules alone cannot
 * read; absent where there is no such thing.
 */
const fileRecorders: Partial<Record<string, () => Promise<FileRecorder>>> = {
  findings: async () => (await import("../findings/record-findings.ts")).recordAllFindings,
};

type FileRecorder = typeof import("../findings/record-findings.ts").recordAllFindings;

export async function fileRecorderOf(kind: string): Promise<FileRecorder | undefined> {
  return fileRecorders[kind]?.();
}

/** How `init` opens a session of each kind. */
const openers = {
  dialogue: async () => (await import("./dialogue-opener.ts")).dialogueOpener,
  collaboration: async () =>
    (await import("../collaboration/init-collaboration.ts")).collaborationOpener,
  findings: async () => (await import("../findings/board-opener.ts")).boardOpener,
} satisfies Record<KindName, () => Promise<Opener>>;

export async function openersOfKinds(): Promise<Readonly<Record<string, Opener>>> {
  const loaded = Object.entries(openers).map(async ([name, load]) => [name, await load()] as const);
  return Object.fromEntries(await Promise.all(loaded));
}
