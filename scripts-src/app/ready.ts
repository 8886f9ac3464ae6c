import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { contentOf } from "../core/findings/content.ts";
import { findingIn } from "../core/findings/known-findings.ts";
import { type BoardState, boardStateOf } from "../core/findings/state.ts";
import { isoSecond, millisecondsOf } from "../core/time.ts";
import { writeFileAtomically } from "../store/atomic-file.ts";
import { ensureFolder } from "../store/safe-path.ts";
import { attendAsAgent, type Reader, recordOthers } from "./attend-board.ts";
import type { Clock } from "./foreign-mail.ts";
import type { Place } from "./place.ts";
import { markSeen } from "./presence.ts";
import { type FoundReport, recordFindings } from "./record-findings.ts";
import type { Session } from "./session.ts";
import { submit } from "./submit.ts";

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
  author: Reader,
  { strict, base }: { strict: boolean; base: string },
  clock: Clock,
): Promise<Ready> {
  const { name: agent } = author;
  const attended = await attendAsAgent(place, agent, clock);
  const { session, reports } = await recordFindings(attended, [agent], { base }, clock);
  const complaints = await complaintsAbout(session, reports);
  if (strict && complaints.length > 0) {
    const way = "mend this and run ready again";
    throw new ConsultaError(
      "REFUSED",
      `${agent} is not marked ready: ${complaints.join("; ")}; ${way}`,
    );
  }
  const now = clock.now();
  markSeen(place, agent, now);
  const mark = join(ensureFolder(place.folder, "findings", agent), ".ready");
  // The original scripts count this file; the log follows it, whoever writes there first.
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
