import { plural } from "../base/plural.ts";
import { staleOf } from "../evidence/recheck.ts";
import { orNothingAsync } from "../files/disk.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { Payoff } from "../protocol/protocol.ts";
import { placeIn } from "./place.ts";
import { readSession, sessionIds } from "./session.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** What the sessions of a workspace say of whether a second model paid. */
export interface SessionPayment {
  readonly sessions: number;
  readonly decisions: number;
  /** Decisions with a blind first answer to compare, and those that are another than it. */
  readonly compared: number;
  readonly changedFirst: number;
  readonly claimsFell: number;
  /** Sessions with an audit, and what the newest of each found. */
  readonly audited: number;
  readonly auditsFound: number;
  readonly judged: Readonly<Record<NonNullable<Payoff["judged"]>, number>>;
  /** Decisions that rest on lines that have changed since. */
  readonly stale: number;
}

/** Counts over the dialogues that ended here; what may be a clone's does not count. */
export async function paidIn(workspace: Workspace): Promise<SessionPayment> {
  const judged = { kept: 0, changed: 0, wrong: 0 };
  const sum = {
    ...{ sessions: 0, decisions: 0, compared: 0, changedFirst: 0, claimsFell: 0, stale: 0 },
    ...{ audited: 0, auditsFound: 0 },
  };
  for (const id of sessionIds(workspace)) {
    const place = placeIn(workspace, id);
    if (!isCreatedLocally(place.folder)) continue;
    const session = await orNothingAsync(() => readSession(place));
    if (session === undefined) continue;
    const { kind, state } = session;
    const payoff = kind.payoff?.(state);
    if (payoff === undefined) continue;
    sum.sessions += 1;
    if (payoff.decided) sum.decisions += 1;
    if (payoff.changedFirst !== undefined) sum.compared += 1;
    if (payoff.changedFirst === true) sum.changedFirst += 1;
    sum.claimsFell += payoff.fell;
    if (payoff.auditFound !== undefined) sum.audited += 1;
    sum.auditsFound += payoff.auditFound ?? 0;
    if (payoff.judged !== undefined) judged[payoff.judged] += 1;
    const isStale = staleOf(kind.restsOn?.(state) ?? [], workspace.project).length > 0;
    if (payoff.decided && isStale) sum.stale += 1;
  }
  return { ...sum, judged };
}

/** Of fewer sessions a share would say more than anybody knows. */
const sessionsForShares = 10;

export function paidLines(paid: SessionPayment): string[] {
  const { sessions, decisions, compared, changedFirst, claimsFell, judged, stale } = paid;
  const share = (part: number, whole: number) =>
    sessions < sessionsForShares || whole === 0 ? "" : ` (${Math.round((100 * part) / whole)} %)`;
  const said = judged.kept + judged.changed + judged.wrong;
  return [
    `${plural(sessions, "session")} ended, ${plural(decisions, "decision")}${share(decisions, sessions)}`,
    `the second side changed the first blind answer: ${changedFirst} of ${compared}${share(changedFirst, compared)}`,
    `claims that fell: ${claimsFell}`,
    `audited: ${paid.audited}; claims not shown, and remarks on decisions: ${paid.auditsFound}`,
    `since then: kept ${judged.kept}${share(judged.kept, said)}, changed ${judged.changed}${share(judged.changed, said)}, ` +
      `wrong ${judged.wrong}${share(judged.wrong, said)}, not said ${Math.max(0, decisions - said)}`,
    `resting on lines that have changed since: ${stale}${share(stale, decisions)}`,
    ...(sessions < sessionsForShares
      ? [`counts only: shares say nothing below ${sessionsForShares} sessions`]
      : []),
  ];
}
