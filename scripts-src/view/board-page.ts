import type { Clock } from "../base/clock.ts";
import type { ReadFinding } from "../findings/describe-finding.ts";
import { readAll } from "../findings/read-all.ts";
import { readFinding } from "../findings/rules/finding-text.ts";
import { boardStateOf, deadlineOf, isAllReady } from "../findings/rules/state.ts";
import { personName } from "../protocol/person-step.ts";
import { readersProject } from "../session/place.ts";
import { bodyCharacters, type KindPage } from "./kind-page.ts";
import type { BoardPart, FindingModel } from "./page/model.ts";
import { stepOf } from "./plain-page.ts";
import { readMarkdown } from "./read-markdown.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** A board: who is there, who is missing, and what each report is worth today. */
export const boardPage: KindPage = {
  happenings: ({ events }) =>
    events.map((it) => stepOf(it, it.event === "posted" ? `${it.from}: ${it.summary}` : undefined)),
  confidence: () => [],
  body: () => undefined,
  part: partOf,
};

async function partOf(
  { session, machine, seq, events, untold }: StoryPoint,
  clock: Clock,
): Promise<BoardPart> {
  const board = boardStateOf(machine);
  const reader = { name: personName, project: readersProject(session.place) };
  const known = untold === 0 && seq >= session.cursor.seq ? events : undefined;
  const pool = await readAll(session, reader, { since: 0, agent: undefined }, clock, known);
  const isNow = seq >= session.cursor.seq;
  const told = pool.findings.filter((it) => isNow || (it.seq !== undefined && it.seq <= seq));
  const names = new Set(told.map(nameOf));
  const { expectedAgents } = board.settings;
  const agents = isNow
    ? pool.authors.map(({ name, ready, registered }) => ({ name, ready, registered }))
    : board.agents.map(({ name, ready }) => ({ name, ready, registered: true }));
  const unknown = Math.max(0, expectedAgents - agents.length);
  return {
    of: "findings",
    deadline: deadlineOf(board),
    agents,
    missing: isAllReady(board)
      ? []
      : [
          ...agents.filter(({ ready }) => !ready).map(({ name }) => name),
          ...(unknown > 0 ? [`${unknown} not registered yet`] : []),
        ],
    conflicts: isNow ? pool.conflicts : [],
    sharedLines: isNow ? pool.sharedLines : [],
    reports: told.map((it) => findingModel(it, names)),
  };
}

function nameOf({ agent, file }: Pick<ReadFinding, "agent" | "file">): string {
  return `${agent}/${file}`;
}

function findingModel(found: ReadFinding, names: ReadonlySet<string>): FindingModel {
  const { agent, file, text = "", fault, at = "", faults, stale, missing, marks } = found;
  const read = text === "" ? undefined : readFinding(text);
  const isTold = (name: string) => names.has(name);
  return {
    ...{ agent, file, at, stale, missing, marks },
    title: read?.title || file,
    summary: read?.summary ?? "",
    text: readMarkdown(text.slice(0, 2 * bodyCharacters).toWellFormed()),
    confirmedBy: found.confirmedBy.filter(isTold),
    supersededBy: found.supersededBy.filter(isTold),
    faults: fault === undefined ? faults : [fault, ...faults],
  };
}
