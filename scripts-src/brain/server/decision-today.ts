import { join } from "node:path";
import { isSafeName } from "../../base/names.ts";
import { existsSync, isRealFolder } from "../../files/disk.ts";
import { orNothingAsync } from "../../files/errno.ts";
import { parseCheckSpec } from "../../protocol/check-spec.ts";
import type { SeenBefore } from "../../protocol/protocol.ts";
import { type Place, placeIn } from "../../session/place.ts";
import { restsOnOf } from "../../session/saved-evidence.ts";
import { type StaleRecord, staleOf, staleText } from "../../session/staleness.ts";
import { inCheckouts } from "../../session/workspace/current-project.ts";
import { findWorkspace, type Workspace } from "../../session/workspace/workspace.ts";
import type { Memory } from "../rules/brain-store.ts";
import { brainLimits } from "../rules/limits.ts";
import { isDecisionOf } from "../rules/session-memories.ts";
import { sessionLinked } from "./learning-sources.ts";

/** What has to be said of a memory as things are when it is told; undefined where nothing has. */
export type DecisionToday = (memory: Memory) => Promise<string | undefined>;

/**
 * Says of remembered decisions what they rest on and is no longer there. A session that is gone or
 * cannot be read says nothing; its decision is told all the same.
 */
export function decisionsToday(project: string): DecisionToday {
  return async (memory) => {
    const { session } = memory;
    if (session === undefined || !isDecisionOf(memory, session)) return undefined;
    return orNothingAsync(() => staleNow(session, project));
  };
}

async function staleNow(link: string, project: string): Promise<string | undefined> {
  const workspace = findWorkspace(project);
  const place = sessionLinked(link, workspace) ?? sweptSession(link, workspace);
  if (place?.workspace === undefined) return undefined;
  const records = await restsOnOf(place);
  // It may have been taken in a worktree, on a branch of its own: where it holds in one, it holds.
  const changed = changedOf(records, project);
  const holds = (checkout: string) => changedOf(records, checkout).length === 0;
  return changed.length === 0 || inCheckouts(project).some(holds) ? undefined : staleText(changed);
}

/** Where a session was whose log was swept: what it rests on was kept. */
function sweptSession(link: string, workspace: Workspace): Place | undefined {
  const place = isSafeName(link) ? placeIn(workspace, link) : undefined;
  return place === undefined || existsSync(place.folder) ? undefined : place;
}

/**
 * Looks again at what takes little time: lines, and searches in files. A search through folders may take
 * seconds, while a prompt waits: `report` and `status` make it. Commands are run by `check --replay` only.
 */
function changedOf(records: readonly SeenBefore[], project: string): StaleRecord[] {
  const until = performance.now() + brainLimits.lookAgainMs;
  const cheap = records.filter((record) => isCheap(record, project));
  return cheap.flatMap((record) => (performance.now() > until ? [] : staleOf([record], project)));
}

function isCheap({ kind, spec: text }: SeenBefore, project: string): boolean {
  if (kind !== "search") return kind === "lines";
  const spec = parseCheckSpec(text);
  if ("fault" in spec || spec.kind !== "search") return false;
  return spec.paths.every((path) => !isRealFolder(join(project, path)));
}
