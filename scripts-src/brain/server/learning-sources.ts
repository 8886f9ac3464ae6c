import { isAbsolute, join } from "node:path";
import { lstatSync } from "../../files/disk.ts";
import { errnoOf } from "../../files/errno.ts";
import { isCreatedLocally } from "../../log/created-locally.ts";
import { journalsOf, readJournal } from "../../notes/journal.ts";
import { endedSession, idOf } from "../../session/past/outcome.ts";
import type { Place } from "../../session/place.ts";
import { isOurs } from "../../session/session-list.ts";
import { sessionFolders } from "../../session/workspace/session-folders.ts";
import type { Workspace } from "../../session/workspace/workspace.ts";
import type { MemoryDraft } from "../rules/brain-store.ts";
import { journalMemories, sessionMemories } from "../rules/session-memories.ts";

/** Something in a workspace that memories come from. */
export interface Source {
  readonly name: string;
  /** The session that it is, where it is one. */
  readonly session?: string;
  /** Differs when it may have changed; undefined where nothing is there. Costs little. */
  readonly stamp: () => string | undefined;
  /** What it says. @throws ConsultaError when it cannot be read. */
  readonly read: () => Promise<SourceReading | Silence>;
}

/** Why nothing is learned: it goes on, or it was not begun here and may have come with a clone. */
export type Silence = "open" | "foreign";

export interface SourceReading {
  readonly drafts: readonly MemoryDraft[];
  /** When, as the source has it. */
  readonly at: string;
}

/** What says that a session has changed: its log, and what others write where there is none. */
const tellingFiles = ["events.jsonl", "agents.md", "conclusion.md"];

/** The sessions of a workspace that were begun here, and those elsewhere that were joined from it. */
export function sessionSources(workspace: Workspace, now: () => string): Source[] {
  const clock = { now, newId: () => "" };
  return sessionFolders(workspace).map(({ name, folder, place }) => ({
    name: `session ${name}`,
    session: name,
    stamp: () => sessionStamp(folder),
    read: async () => {
      const at = place();
      if (at.workspace !== undefined && !isCreatedLocally(folder)) return "foreign";
      const ended = await endedSession(at, clock, "log");
      if (ended === undefined) return "open";
      return { drafts: sessionMemories(ended), at: ended.lastAt };
    },
  }));
}

/** Where the session is that memories call by this name; undefined where it is gone, or not to be learned from. */
export function sessionLinked(link: string, workspace: Workspace): Place | undefined {
  const found = sessionFolders(workspace).find(
    ({ name, place }) => link === (isAbsolute(name) ? idOf(place()) : name),
  );
  if (found === undefined) return undefined;
  const place = found.place();
  return place.workspace === undefined || isCreatedLocally(found.folder) ? place : undefined;
}

/**
 * The journals of a workspace; what they say of sessions that are open has to wait, and what they say
 * of others than those begun here may have come with a clone.
 */
export function journalSources(
  workspace: Workspace,
  open: ReadonlySet<string>,
  now: () => string,
): Source[] {
  return journalsOf(workspace).map(({ author, peer, path }) => ({
    name: `journal ${author} ${peer}`,
    stamp: () => {
      const stamp = stampOf([path]);
      return stamp && [stamp, ...[...open].sort()].join(" ");
    },
    read: async () => {
      const text = readJournal(workspace, author, peer);
      const entries = journalMemories(author, peer, text);
      const isOver = (session: string) => !open.has(session) && isOurs(workspace, session);
      const finished = entries.filter(({ session }) => isOver(session));
      return { drafts: finished.map(({ draft }) => draft), at: now() };
    },
  }));
}

/** The folder's time is part of it: it gets a mark when the user adopts the session. */
function sessionStamp(folder: string): string | undefined {
  const stamp = stampOf(tellingFiles.map((file) => join(folder, file)));
  return stamp && `${stamp} ${stampOf([folder]) ?? ""}`;
}

/** Sizes and times of files; undefined when none of them is there. */
function stampOf(paths: readonly string[]): string | undefined {
  const stamps = paths.map((path) => {
    const status = statusOf(path);
    return status === undefined ? "" : `${status.size}:${status.mtimeMs}`;
  });
  return stamps.some((it) => it !== "") ? stamps.join(" ") : undefined;
}

function statusOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}
