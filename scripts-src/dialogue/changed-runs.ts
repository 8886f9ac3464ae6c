import { pathIn } from "../protocol/evidence.ts";
import type { Files } from "../protocol/protocol.ts";
import { filesSeen, isValid } from "./claims.ts";
import type { ChangedRun } from "./event.ts";
import type { DialogueState } from "./state.ts";

/** Claims whose commands a side saw on uncommitted files that are others now, with their names; without a look all such. */
export function changedRuns(state: DialogueState, by: string, files?: Files): ChangedRun[] {
  const isNow = (it: string) => it.startsWith(`${files?.get(pathIn(it))?.sha256 ?? "gone"} `);
  return state.claims.filter(isValid).flatMap(({ id: claim, records }) => {
    const own = records.find((it) => it.by === by && it.met);
    const changed = filesSeen(state, own).filter((it) => !files || !isNow(it));
    return changed.length === 0 ? [] : [{ claim, files: changed.map(pathIn) }];
  });
}

/** The state in which a side saw these claims, and no others, on files that have changed since. */
export function withChangedRuns(state: DialogueState, by: string, runs?: readonly ChangedRun[]) {
  const claims = state.claims.map((it) => {
    const changed = runs?.find(({ claim }) => claim === it.id)?.files ?? [];
    return { ...it, records: it.records.map((its) => (its.by === by ? { ...its, changed } : its)) };
  });
  return { ...state, claims };
}
