import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { parseJsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { readFileIfPresent } from "../../files/atomic-file.ts";
import { existsSync, lstatSync, readdirSync } from "../../files/disk.ts";
import { orNothing } from "../../files/errno.ts";
import { firstLine, isCreatedLocally } from "../../log/created-locally.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { decisionsIn, type EarlierDecision, foldersElsewhere } from "./decisions-in-folders.ts";
import { topicMatcher } from "./same-topic.ts";

/**
 * How sessions of the workspace ended whose topic is that of another one, the newest first. Topics
 * are compared by the first bytes of each session; only what is alike is loaded, by a part of its
 * own. What cannot be read is left out, and what nobody began or joined here: it may be a clone's.
 */
export async function earlierDecisions(
  workspace: Workspace,
  { folder, topic }: { readonly folder: string; readonly topic: string },
  clock: Clock,
): Promise<EarlierDecision[]> {
  const others = (await comparedFolders(workspace)).filter((other) => other !== folder);
  const isAlike = topicMatcher(topic);
  const sessions = join(workspace.root, "sessions");
  const isOurs = (other: string) => dirname(other) !== sessions || isCreatedLocally(other);
  const alike = others.filter((other) => isAlike(topicIn(other) ?? "") && isOurs(other));
  if (alike.length === 0) return [];
  return decisionsIn(workspace, byChange(alike).slice(0, limits.likeSessions), clock);
}

/** The sessions that are compared: of very many, those that changed last. */
async function comparedFolders(workspace: Workspace): Promise<string[]> {
  const sessions = join(workspace.root, "sessions");
  const own = readdirSync(sessions, { withFileTypes: true })
    .filter((it) => it.isDirectory())
    .map(({ name }) => join(sessions, name));
  const compared =
    own.length > limits.comparedSessions ? byChange(own).slice(0, limits.comparedSessions) : own;
  if (!existsSync(join(workspace.root, "boards"))) return compared;
  return [...compared, ...foldersElsewhere(workspace)];
}

function byChange(folders: readonly string[]): string[] {
  return folders
    .map((folder) => ({ folder, atMs: changedMs(folder) }))
    .sort((one, other) => other.atMs - one.atMs)
    .map(({ folder }) => folder);
}

/** When somebody wrote the session's log last. */
function changedMs(folder: string): number {
  const log = join(folder, "events.jsonl");
  return orNothing(() => lstatSync(log, { throwIfNoEntry: false })?.mtimeMs) ?? 0;
}

/** What a session is about: a dialogue's first event says it, else a collaboration's settings. */
function topicIn(folder: string): string | undefined {
  return orNothing(() => {
    const first = firstLine(folder);
    if (first.includes('"topic":')) return textIn(first, "topic");
    const settings = readFileIfPresent(join(folder, "protocol.json"), limits.messageBytes);
    return settings === undefined ? undefined : textIn(settings, "objective");
  });
}

function textIn(json: string, key: string): string | undefined {
  const text = parseJsonObject(json)?.[key];
  return typeof text === "string" ? text.slice(0, limits.topicCharacters) : undefined;
}
