import { join } from "node:path";
import { createFileExclusively } from "../../files/atomic-file.ts";
import { existsSync } from "../../files/disk.ts";
import type { Report } from "../../protocol/protocol.ts";

/** In a session's folder: a rehearsal took part, so what was said there is nobody's opinion. */
export const rehearsalMark = ".rehearsal";

/**
 * Marks a session before a rehearsal acts in it. It stays marked, no matter who else takes part.
 * @throws ConsultaError UNAVAILABLE when the disk refuses.
 */
export function markRehearsed(folder: string): void {
  createFileExclusively(join(folder, rehearsalMark), "");
}

/** Whether a rehearsal took part in the session: nothing is learned from it or offered of it. */
export function isRehearsed(folder: string): boolean {
  return existsSync(join(folder, rehearsalMark));
}

export const dryRunLine = "DRY RUN: scripts went through the steps; nothing was judged or decided.";

/** The report of a session that scripts played: its steps, and no judgement. */
export function dryRunReport(made: Report, phase: string): Report {
  const { title, facts, sections, marks = [], appendix = [], data = {} } = made;
  const unjudged = sections.map(({ heading, lines, judges }) => ({
    heading,
    lines: judges ? ["- not judged (dry run)"] : lines,
  }));
  return {
    title: `DRY RUN: ${title}`,
    verdict: dryRunLine,
    closing: dryRunLine,
    facts: [`the rules ended it as: ${phase}`, ...facts],
    sections: unjudged,
    marks,
    appendix,
    data: { ...data, dry_run: true },
  };
}
