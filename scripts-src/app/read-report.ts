import { join } from "node:path";
import type { Report } from "../core/protocol.ts";
import { writeFileAtomically } from "../store/atomic-file.ts";
import { ensureFolder } from "../store/safe-path.ts";
import type { Place } from "./place.ts";
import { readFiles } from "./read-files.ts";
import { readAll } from "./replay.ts";
import { loadSession } from "./session.ts";

/** A session's report and where its log lies, so that a person can check it. */
export interface ReadReport {
  readonly id: string;
  /** What names the session on a command line. */
  readonly where: { readonly session: string } | { readonly folder: string };
  readonly logPath: string;
  readonly events: number;
  readonly report: Report;
}

/** Reads a session's whole log and makes its user report. */
export async function readReport(place: Place): Promise<ReadReport> {
  const session = await loadSession(place);
  const { events } = await readAll(session);
  const wanted = session.machine.filesWanted({ for: "inspection" });
  const report = session.machine.report(events, await readFiles(place.folder, wanted));
  const logPath = join(place.folder, "events.jsonl");
  const { id, folder, workspace } = place;
  const where = workspace === undefined ? { folder } : { session: id };
  return { id, where, logPath, events: events.length, report };
}

/** Keeps a report among the session's artifacts, or beside its log; gives its path. */
export function keepReport({ id, folder, workspace, config }: Place, text: string): string {
  const kept =
    workspace === undefined ? folder : ensureFolder(workspace.root, config.artifacts_dir, id);
  const path = join(kept, "report.md");
  writeFileAtomically(path, text);
  return path;
}
