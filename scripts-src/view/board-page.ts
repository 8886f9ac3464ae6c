import type { Clock } from "../base/clock.ts";
import { type ReadFinding, readAll } from "../findings/read-all.ts";
import { boardStateOf, deadlineOf, isAllReady } from "../findings/rules/state.ts";
import { personName } from "../protocol/person-step.ts";
import { readersProject } from "../session/place.ts";
import type { KindPage } from "./kind-page.ts";
import type { BoardPart, FindingModel } from "./page/model.ts";
import { charactersMax, readMarkdown } from "./read-markdown.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** A board: who is there, who is missing, and what each report is worth today. */
export const boardPage: KindPage = { part: partOf };

async function partOf({ session, seq, isNow }: StoryPoint, clock: Clock): Promise<BoardPart> {
  const board = boardStateOf(session);
  const reader = { name: personName, project: readersProject(session.place) };
  const pool = await readAll(session, reader, { since: 0, agent: undefined }, clock);
  const told = pool.findings.filter((it) => isNow || (it.seq !== undefined && it.seq <= seq));
  const names = new Set(told.map(({ agent, file }) => `${agent}/${file}`));
  const agents = isNow
    ? pool.authors.map(({ name, ready, registered }) => ({ name, ready, registered }))
    : board.agents.map(({ name, ready }) => ({ name, ready, registered: true }));
  const unknown = Math.max(0, board.settings.expectedAgents - agents.length);
  const late = agents.filter(({ ready }) => !ready).map(({ name }) => name);
  return {
    of: "findings",
    deadline: deadlineOf(board),
    agents,
    missing: isAllReady(board)
      ? []
      : [...late, ...(unknown > 0 ? [`${unknown} not registered yet`] : [])],
    conflicts: isNow ? pool.conflicts : [],
    sharedLines: isNow ? pool.sharedLines : [],
    reports: told.map((it) => findingModel(it, names)),
  };
}

function findingModel(found: ReadFinding, names: ReadonlySet<string>): FindingModel {
  const { agent, file, text = "", fault, at = "", faults, stale, missing, marks } = found;
  return {
    ...{ agent, file, at, stale, missing },
    title: found.title || file,
    summary: found.summary,
    text: readMarkdown(text.slice(0, charactersMax).toWellFormed()),
    confirmedBy: found.confirmedBy.filter((name) => names.has(name)),
    supersededBy: found.supersededBy.filter((name) => names.has(name)),
    notes: [...(fault === undefined ? [] : [fault]), ...faults, ...marks],
  };
}
