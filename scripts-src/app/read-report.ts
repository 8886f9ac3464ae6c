import { join } from "node:path";
import type { LogEvent } from "../core/event.ts";
import type { Report } from "../core/protocol.ts";
import { writeFileAtomically } from "../store/atomic-file.ts";
import type { Cursor } from "../store/event-log.ts";
import { ensureFolder } from "../store/safe-path.ts";
import { loadSession } from "./session.ts";
import type { Workspace } from "./workspace.ts";

/** A session's report and where its log lies, so that a person can check it. */
export interface ReadReport {
  readonly id: string;
  readonly logPath: string;
  readonly events: number;
  readonly report: Report;
}

/** Reads a session's whole log and makes its user report. */
export async function readReport(workspace: Workspace, id: string): Promise<ReadReport> {
  const { log, machine } = await loadSession(workspace, id);
  const events: LogEvent[] = [];
  let cursor: Cursor = log.start;
  for (let more = true; more; ) {
    const page = await log.read(cursor);
    events.push(...page.events);
    ({ cursor, more } = page);
  }
  const logPath = join(workspace.root, "sessions", id, "events.jsonl");
  return { id, logPath, events: events.length, report: machine.report(events) };
}

/** Keeps a report among the session's artifacts; gives its path. */
export function keepReport(workspace: Workspace, id: string, text: string): string {
  const path = join(ensureFolder(workspace.root, workspace.config.artifacts_dir, id), "report.md");
  writeFileAtomically(path, text);
  return path;
}
