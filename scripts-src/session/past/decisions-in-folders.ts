import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { parseJsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { findSecret } from "../../base/secrets.ts";
import { millisecondsOf } from "../../base/time.ts";
import { staleOf, staleText } from "../../evidence/recheck.ts";
import { readFileIfPresent } from "../../files/atomic-file.ts";
import { existsSync, lstatSync, readdirSync } from "../../files/disk.ts";
import { orNothing, orNothingAsync } from "../../files/errno.ts";
import { firstLine, isCreatedLocally } from "../../log/created-locally.ts";
import { type Place, placeAt, placeIn } from "../place.ts";
import { knownSessions } from "../workspace/sessions-elsewhere.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { endedSession, type SessionOutcome } from "./outcome.ts";
import { topicMatcher } from "./same-topic.ts";

/** How a session that has ended answered the question that a new one asks. */
export interface EarlierDecision {
  readonly place: Place;
  readonly topic: string;
  /** ISO date, or that nobody knows it. */
  readonly date: string;
  /** Whether it was left to nobody else. */
  readonly decided: boolean;
  /** How it came about: words of ours. */
  readonly outcome: string;
  /** What its participants said: data. */
  readonly text: string;
}

/**
 * How the sessions in these folders ended, the newest first. Those that go on, that nobody can read
 * or that leave no decision are left out.
 */
export async function decisionsIn(
  workspace: Workspace,
  folders: readonly string[],
  clock: Clock,
): Promise<EarlierDecision[]> {
  const found: (EarlierDecision & { atMs: number })[] = [];
  for (const folder of folders) {
    const decision = await orNothingAsync(() => decisionOf(placeOf(workspace, folder), clock));
    if (decision !== undefined) found.push(decision);
  }
  return found
    .sort((one, other) => other.atMs - one.atMs)
    .slice(0, limits.earlierDecisions)
    .map(({ atMs: _, ...decision }) => decision);
}

/** The folders of sessions elsewhere that were joined from a workspace. */
export function foldersElsewhere(workspace: Workspace): string[] {
  return (orNothing(() => knownSessions(workspace)) ?? []).map(({ folder }) => folder);
}

function placeOf(workspace: Workspace, folder: string): Place {
  const isOwn = dirname(folder) === join(workspace.root, "sessions");
  return isOwn ? placeIn(workspace, basename(folder)) : placeAt(folder);
}

async function decisionOf(place: Place, clock: Clock) {
  const ended = await endedSession(place, clock, "state");
  const decision = ended?.conclusions.find(({ what }) => ["decision", "undecided"].includes(what));
  if (ended === undefined || decision === undefined) return undefined;
  // Only of a session in a workspace it is known which project its records are about.
  const stale = place.workspace && staleText(staleOf(ended.restsOn, place.workspace.project));
  const outcome = [decision.outcome, ...(stale === undefined ? [] : [stale])].join("; ");
  const told = earlier(place, ended, { ...decision, outcome });
  return { ...told, atMs: millisecondsOf(ended.lastAt) || 0 };
}

function earlier(
  place: Place,
  { topic, date }: SessionOutcome,
  { what, outcome, text }: SessionOutcome["conclusions"][number],
): EarlierDecision {
  const secret = findSecret(`${topic}\n${text}`);
  const words = secret === undefined ? text : `left out: it looks like ${secret}`;
  const about = secret === undefined ? topic : "";
  return { place, topic: about, date, decided: what === "decision", outcome, text: words };
}

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
