import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { isoSecond, millisecondsOf } from "../base/time.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { Place } from "../session/place.ts";
import type { Session } from "../session/session.ts";
import { submit } from "../session/submit.ts";
import { markSeen } from "../session/waiting/presence.ts";
import { type BoardReader, openBoardForAgent, recordOthers } from "./open-board-for.ts";
import { type FoundReport, recordFindings } from "./record-findings.ts";
import { contentOf } from "./rules/finding-content.ts";
import { findingIn } from "./rules/known-findings.ts";
import { type BoardState, boardStateOf } from "./rules/state.ts";

export interface Ready {
  readonly board: BoardState;
  /** What is wrong with the agent's reports, one line each. */
  readonly complaints: readonly string[];
}

/**
 * Marks an agent ready, as often as it likes, and records its reports as they are now. `base` is
 * where relative paths in them start.
 * @throws ConsultaError NOT_YET for an agent that is not registered; REFUSED in strict mode when a
 * report is empty or malformed, or there is none: it is not marked then.
 */
export async function ready(
  place: Place,
  author: BoardReader,
  { strict, base }: { strict: boolean; base: string },
  clock: Clock,
): Promise<Ready> {
  const { name: agent, project } = author;
  const attended = await openBoardForAgent(place, agent, clock);
  const { session, reports } = await recordFindings(attended, [agent], { base, project }, clock);
  const complaints = await complaintsAbout(session, reports);
  if (strict && complaints.length > 0) {
    const way = "fix this and run ready again";
    throw new ConsultaError(
      "REFUSED",
      `${agent} is not marked ready: ${complaints.join("; ")}; ${way}`,
    );
  }
  const now = clock.now();
  markSeen(place, agent, now);
  const mark = join(ensureFolder(place.folder, "findings", agent), ".ready");
  // The original scripts count this file; the log follows it.
  writeFileAtomically(mark, `${isoSecond(millisecondsOf(now))}\n`);
  const by = { participant: agent, origin: "script" as const, fields: { event: "readied" } };
  const submitted = await submit(session, { ...by, at: now, id: clock.newId() });
  await recordOthers(place, author, clock);
  return { board: boardStateOf(submitted.session.machine), complaints };
}

async function complaintsAbout(
  session: Session,
  reports: readonly FoundReport[],
): Promise<string[]> {
  if (reports.length === 0) return ["no report is posted"];
  const { findings } = boardStateOf(session.machine);
  const complaints: string[] = [];
  for (const { agent, file, fault } of reports) {
    const known = findingIn(findings, `${agent}/${file}`);
    const event = known && (await session.log.at(known.seq));
    const faults = fault === undefined ? ((event && contentOf(event)?.faults) ?? []) : [fault];
    if (faults.length > 0) complaints.push(`${file}: ${faults.join(", ")}`);
  }
  return complaints;
}
