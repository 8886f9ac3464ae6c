import { join, relative, sep } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { plural } from "../base/plural.ts";
import { readFileIfPresent, textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { sha256 } from "../files/hash.ts";
import { ensureFolder, nameIn, safeJoin } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { SessionState, View } from "../protocol/protocol.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";
import { folderOfView } from "./write-views.ts";

/** What the hashes in a log tell of it. */
export interface LogTrust {
  /** Lines that are not as they were appended: one text for each. */
  readonly changed: string[];
  /** What the hashes cannot tell, as a mark on the session. */
  readonly marks: string[];
}

/** Compares every line of a session's log with the hash that the next event has of it. */
export async function logTrust({ log }: Pick<Session, "log">): Promise<LogTrust> {
  const { links, unchained, changed } = await log.chain();
  return {
    changed: changed.map(({ seq, line, nextSeq }) =>
      seq === 0
        ? `events.jsonl: what stood before seq ${nextSeq} was taken away`
        : `events.jsonl line ${line} was changed: seq ${seq} is not as it was when seq ${nextSeq} was appended`,
    ),
    marks: unchained === 0 ? [] : [unchainedText(unchained, links)],
  };
}

function unchainedText(count: number, links: number): string {
  const reason = "made by others, so a change of the line before would not show";
  if (links === 0) return `unchained: no event has the hash of the line before it (${reason})`;
  return `unchained: ${plural(count, "event")} without the hash of the line before (${reason})`;
}

/** How a file that follows from the log differs from it; undefined when it does not. */
export function viewFault(place: Place, view: View): string | undefined {
  const folder = safeJoin(...folderOfView(place, view));
  const textOf = (name: string) => readFileIfPresent(nameIn(folder, name), 2 * limits.messageBytes);
  const found = textOf(view.name);
  // Where a colleague's own file has the name, ours has another.
  const isElsewhere =
    view.ours !== undefined &&
    found?.includes(view.ours.mark) === false &&
    textOf(view.ours.otherwise) === view.text;
  if (isElsewhere || found === view.text) return undefined;
  const path = relative(place.workspace?.root ?? place.folder, nameIn(folder, view.name));
  const near = path.split(sep).join("/");
  return `${near} ${found === undefined ? "is missing" : "differs from the log"}`;
}

/** Which artifacts that follow from these events were changed, or taken away, since. */
export function changedArtifacts(
  place: Place,
  { kind, ...before }: SessionState,
  events: readonly LogEvent[],
): string[] {
  const views = new Map<string, View>();
  let { state } = before;
  for (const event of events) {
    state = kind.evolve(state, event);
    for (const view of kind.views(state, event))
      if (view.within === "artifacts") views.set(view.name, view);
  }
  return [...views.values()].flatMap((view) => viewFault(place, view) ?? []);
}

/**
 * Keeps a report among the session's artifacts, or beside its log; returns its path.
 * @throws ConsultaError NOT_YET when the report kept there tells of events that the log has lost.
 */
export async function keepReport(session: Session, text: string): Promise<string> {
  const { id, workspace, config } = session.place;
  const fault = await lostSinceReport(session);
  if (fault !== undefined) {
    const way = "run validate; to keep the new one nevertheless, move that file away";
    throw new ConsultaError("NOT_YET", `${fault}: it is not replaced; ${way}`);
  }
  if (workspace !== undefined) ensureFolder(workspace.root, config.artifacts_dir, id);
  const path = keptReport(session.place);
  writeFileAtomically(path, text);
  return path;
}

/** Where the report of a session is kept. */
function keptReport({ id, folder, workspace, config }: Place): string {
  const kept =
    workspace === undefined ? folder : safeJoin(workspace.root, config.artifacts_dir, id);
  return join(kept, "report.md");
}

const keptReportBytes = 64 << 20;

/**
 * What the kept report tells of and the log does not hold: somebody cut it, or wrote another; undefined for
 * nothing, and where no report is there that can be read.
 */
export async function lostSinceReport(session: Session): Promise<string | undefined> {
  const { place, log, cursor } = session;
  const path = keptReport(place);
  const [, count = "0", mark] =
    /^- the log, (\d{1,15}) events?(?:, checksum of the last ([0-9a-f]{8}))?: /m.exec(
      checkPart(textIfSound(path, keptReportBytes) ?? ""),
    ) ?? [];
  const events = Number(count);
  if (cursor.seq < events) {
    const lost = `the log of ${place.id} holds ${cursor.seq} events, ${path} tells of ${events}`;
    return `the log is shorter than when last seen: ${lost}`;
  }
  if (mark === undefined || mark === markOf(await log.at(events))) return undefined;
  return `the log of ${place.id} lost events: its event ${events} is another than the one that ${path} tells of`;
}

/** No word of a participant can open a part of a report: the last one of this name is ours. */
const checkHeading = "\n## Check it\n";

function checkPart(text: string): string {
  return text.slice(Math.max(0, text.lastIndexOf(checkHeading)));
}

/** That the kept report was changed by other means than our scripts; nothing where it was not. */
export async function changedReport({
  place,
  log,
}: Pick<Session, "place" | "log">): Promise<string[]> {
  const path = keptReport(place);
  const text = textIfSound(path, keptReportBytes) ?? "";
  const [stated, hash] = proofLine.exec(checkPart(text)) ?? [];
  const isChanged =
    stated === undefined
      ? await lacksProof(log, text)
      : sha256(text.replace(`${stated}\n`, "")) !== hash;
  return isChanged ? [`${path} was changed after it was written`] : [];
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
