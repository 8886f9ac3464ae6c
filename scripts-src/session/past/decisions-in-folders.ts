import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import { findSecret } from "../../base/secrets.ts";
import { millisecondsOf } from "../../base/time.ts";
import { orNothing, orNothingAsync } from "../../files/errno.ts";
import { type Place, placeAt, placeIn } from "../place.ts";
import { staleOf, staleText } from "../staleness.ts";
import { knownSessions } from "../workspace/known-sessions.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { endedSession, type SessionOutcome } from "./outcome.ts";

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
