import { relative, sep } from "node:path";
import { limits } from "../base/limits.ts";
import { plural } from "../base/plural.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { nameIn, safeJoin } from "../files/safe-path.ts";
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

/** The first line, from 1, in which two texts differ; undefined when they are the same. */
export function firstDifference(found: string, expected: string): number | undefined {
  if (found === expected) return undefined;
  const [lines, wanted] = [found.split("\n"), expected.split("\n")];
  const index = lines.findIndex((line, at) => line !== wanted[at]);
  return index === -1 ? lines.length + 1 : index + 1;
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
  if (isElsewhere) return undefined;
  const line = found === undefined ? undefined : firstDifference(found, view.text);
  if (found !== undefined && line === undefined) return undefined;
  const near = relative(place.workspace?.root ?? place.folder, nameIn(folder, view.name))
    .split(sep)
    .join("/");
  return `${near} ${line === undefined ? "is missing" : `differs from the log in line ${line}`}`;
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
