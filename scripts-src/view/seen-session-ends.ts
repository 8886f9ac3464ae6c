import { join } from "node:path";
import { parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { orNothing } from "../files/errno.ts";
import { readProvedFile, writeProvedFile } from "../files/signed-file.ts";
import type { Workspace } from "../session/workspace/workspace.ts";

/** Which ends the person has seen in this page: the seq that each session had then. A clone may bring one. */
const seenFile = ".seen-ends.json";

export function readSeenEnds({ root }: Workspace): Map<string, number> {
  const path = join(root, seenFile);
  // Damaged, forged, too large or no file: the ends count as new.
  const text = orNothing(() => readProvedFile(path, limits.endedFileBytes)) ?? "";
  const entries = Object.entries(parseJsonObject(text) ?? {});
  return new Map(entries.flatMap(([id, seq]) => (typeof seq === "number" ? [[id, seq]] : [])));
}

/** Remembers that the person has seen how a session ended. */
export function noteSeenEnd(workspace: Workspace, id: string, seq: number): void {
  const known = readSeenEnds(workspace);
  known.delete(id);
  const newest = [...known, [id, seq] as const].slice(-limits.endedSessions);
  const path = join(workspace.root, seenFile);
  writeProvedFile(path, `${JSON.stringify(Object.fromEntries(newest))}\n`);
}
