import { join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { lstatSync } from "../../files/disk.ts";
import { errnoOf } from "../../files/errno.ts";
import { parseCheckSpec } from "../../protocol/check-spec.ts";
import type { SeenBefore } from "../../protocol/protocol.ts";
import { loadSession } from "../../session/session.ts";
import { projectOf, type StaleRecord, staleOf, staleText } from "../../session/staleness.ts";
import { findWorkspace } from "../../session/workspace/workspace.ts";
import { servedElsewhere } from "../client/brain-place.ts";
import { brainLimits } from "../rules/limits.ts";
import { isDecisionOf } from "../rules/session-memories.ts";
import type { Memory } from "../rules/store.ts";
import { sessionLinked } from "./learning-sources.ts";

/** What has to be said of a memory as things are when it is told; undefined where nothing has. */
export type Today = (memory: Memory) => Promise<string | undefined>;

/**
 * Says of remembered decisions what they rest on and is no longer there. A session that is gone or
 * cannot be read says nothing; its decision is told all the same.
 */
export function decisionsToday(project: string): Today {
  return async (memory) => {
    const { session } = memory;
    if (session === undefined || !isDecisionOf(memory, session)) return undefined;
    try {
      return await staleNow(session, project);
    } catch (cause) {
      if (cause instanceof ConsultaError || errnoOf(cause) !== undefined) return undefined;
      throw cause;
    }
  };
}

async function staleNow(link: string, project: string): Promise<string | undefined> {
  const workspace = findWorkspace(project);
  const own = sessionLinked(link, workspace, false);
  const place =
    own ??
    servedElsewhere(workspace)
      .map((other) => sessionLinked(link, other, true))
      .find((found) => found !== undefined);
  if (place === undefined) return undefined;
  const { machine } = await loadSession(place);
  return staleText(changedOf(machine.restsOn(), projectOf(place)));
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
  return spec.paths.every((path) => {
    const found = lstatSync(join(project, path), { throwIfNoEntry: false });
    return found?.isDirectory() !== true;
  });
}
