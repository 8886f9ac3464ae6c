import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { refused } from "../base/errors.ts";
import { isoSecond, millisecondsOf } from "../base/time.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { Place } from "../session/place.ts";
import type { Session } from "../session/session.ts";
import { submit } from "../session/submit.ts";
import { markSeen } from "../session/waiting/presence.ts";
import type { FoundReport } from "./board-files.ts";
import { openBoardForAgent } from "./post.ts";
import { type BoardAuthor, recordFindings } from "./record-findings.ts";
import { contentOf } from "./rules/finding-content.ts";
import { type BoardState, boardStateOf, findingOf } from "./rules/state.ts";

export interface Ready {
  readonly board: BoardState;
  /** What is wrong with the agent's reports, one line each. */
  readonly complaints: readonly string[];
}

/**
 * Marks an agent ready, as often as it likes, and records its reports as they are now.
 * @throws ConsultaError NOT_YET for an agent that is not registered; REFUSED in strict mode when a
 * report is empty or malformed, or there is none: it is not marked then.
 */
export async function ready(
  place: Place,
  author: BoardAuthor,
  { strict }: { strict: boolean },
  clock: Clock,
): Promise<Ready> {
  const { name: agent } = author;
  const opened = await openBoardForAgent(place, agent, clock);
  markSeen(place, agent, clock.now());
  const recorded = await recordFindings(opened, author, clock);
  const complaints = await complaintsAbout(recorded.session, recorded.own);
  if (strict && complaints.length > 0) {
    const reasons = complaints.join("; ");
    throw refused(`${agent} is not marked ready: ${reasons}; fix this and run ready again`);
  }
  const now = clock.now();
  const mark = join(ensureFolder(place.folder, "findings", agent), ".ready");
  // The original scripts count this file; the log follows it.
  writeFileAtomically(mark, `${isoSecond(millisecondsOf(now))}\n`);
  const by = { participant: agent, origin: "script" as const, fields: { event: "readied" } };
  const { session } = await submit(recorded.session, { ...by, at: now, id: clock.newId() });
  return { board: boardStateOf(session), complaints };
}

async function complaintsAbout(session: Session, own: readonly FoundReport[]): Promise<string[]> {
  if (own.length === 0) return ["no report is posted"];
  const complaints: string[] = [];
  for (const { agent, file, fault } of own) {
    const known = findingOf(boardStateOf(session), agent, file);
    const event = known && (await session.log.at(known.seq));
    const faults = fault === undefined ? ((event && contentOf(event)?.faults) ?? []) : [fault];
    if (faults.length > 0) complaints.push(`${file}: ${faults.join(", ")}`);
  }
  return complaints;
}
