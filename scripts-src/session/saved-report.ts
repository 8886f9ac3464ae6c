import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { sha256 } from "../files/hash.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import { firstDifference } from "./detect-tampering.ts";
import { openSession } from "./open.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";

/**
 * Keeps a report among the session's artifacts, or beside its log; returns its path.
 * @throws ConsultaError NOT_YET when the report kept there tells of events that the log has lost.
 */
export async function keepReport(place: Place, text: string): Promise<string> {
  const path = keptReport(place);
  const fault = await lostSinceReport(await openSession(place));
  if (fault !== undefined) {
    const way = "run validate; to keep the new one nevertheless, move that file away";
    throw new ConsultaError("NOT_YET", `${fault}: it is not replaced; ${way}`);
  }
  if (place.workspace !== undefined)
    ensureFolder(place.workspace.root, place.config.artifacts_dir, place.id);
  writeFileAtomically(path, text);
  return path;
}

/** Where the report of a session is kept. */
function keptReport({ id, folder, workspace, config }: Place): string {
  const kept =
    workspace === undefined ? folder : safeJoin(workspace.root, config.artifacts_dir, id);
  return join(kept, reportFile);
}

const reportFile = "report.md";
const keptReportBytes = 64 << 20;

/** What the kept report tells of and the log does not hold: somebody cut it, or wrote another; undefined for nothing. */
export async function lostSinceReport({
  place,
  log,
  cursor,
}: Session): Promise<string | undefined> {
  const path = keptReport(place);
  const told = eventsToldIn(path);
  if (told === undefined) return undefined;
  if (cursor.seq < told.events) {
    const lost = `the log of ${place.id} holds ${cursor.seq} events, ${path} tells of ${told.events}`;
    return `the log is shorter than when last seen: ${lost}`;
  }
  if (told.mark === undefined || told.mark === markOf(await log.at(told.events))) return undefined;
  return `the log of ${place.id} lost events: its event ${told.events} is another than the one that ${path} tells of`;
}

/** How long a log a kept report is about, and its last event; undefined where there is none that can be read. */
function eventsToldIn(path: string): { events: number; mark: string | undefined } | undefined {
  const text = checkPart(textIfSound(path, keptReportBytes) ?? "");
  const [, events, mark] =
    /^- the log, (\d{1,15}) events?(?:, checksum of the last ([0-9a-f]{8}))?: /m.exec(text) ?? [];
  return events === undefined ? undefined : { events: Number(events), mark };
}

/** No word of a participant can open a part of a report: the last one of this name is ours. */
const checkHeading = "\n## Check it\n";

function checkPart(text: string): string {
  return text.slice(Math.max(0, text.lastIndexOf(checkHeading)));
}

/**
 * What was changed in the kept report by other means than our scripts. `expected` is the report as the
 * log has it now.
 */
export async function changedReport(
  { place, log }: Pick<Session, "place" | "log">,
  expected: () => Promise<string>,
): Promise<string[]> {
  const path = keptReport(place);
  const text = textIfSound(path, keptReportBytes) ?? "";
  const [stated, hash] = proofLine.exec(checkPart(text)) ?? [];
  if (stated === undefined && !(await lacksProof(log, text))) return [];
  const whole = Buffer.from(text.replace(`${stated}\n`, ""));
  if (stated !== undefined && sha256(whole) === hash) return [];
  const bodyOf = (whole: string) => whole.slice(0, Math.max(0, whole.lastIndexOf(checkHeading)));
  const now = bodyOf(await expected());
  const line = now === "" ? undefined : firstDifference(bodyOf(text), now);
  const where = line === undefined ? "" : `; line ${line} is the first that differs from the log`;
  return [`${path} was changed after it was written${where}`];
}

/** A writer that chains every event of a log could write its report with a hash. */
async function lacksProof(log: Session["log"], text: string): Promise<boolean> {
  return text.includes(checkHeading) && (await log.chain()).unchained === 0;
}

/** A report with the hash of all its other lines in its part "Check it". */
export function withProof(text: string): string {
  const at = text.indexOf("\n", text.lastIndexOf("\n- the log, ") + 1) + 1;
  const proof = `- SHA-256 of this report without this line: ${sha256(Buffer.from(text))}\n`;
  return `${text.slice(0, at)}${proof}${text.slice(at)}`;
}

const proofLine = /^- SHA-256 of this report without this line: ([0-9a-f]{64})$/m;

export function markOf(event: LogEvent | undefined): string {
  return sha256(JSON.stringify(event ?? null)).slice(0, 8);
}
