import { dirname, join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { namesIn, readFileIfPresent, writeFileAtomically } from "../store/atomic-file.ts";
import { checksum } from "../store/checksum.ts";
import { discard } from "../store/regular-file.ts";
import { ensureFolder, safeJoin } from "../store/safe-path.ts";
import { type Place, placeAt } from "./place.ts";
import { isBoardFolder } from "./session.ts";
import type { Workspace } from "./workspace.ts";

const folderName = "boards";

/** Remembers in a workspace that a board which lies elsewhere was made or joined from here. */
export function noteBoard({ root }: Workspace, { folder }: Place): void {
  if (dirname(folder) === join(root, "sessions")) return;
  const name = `${checksum(Buffer.from(folder))}.json`;
  const path = join(ensureFolder(root, folderName), name);
  writeFileAtomically(path, `${JSON.stringify({ folder })}\n`);
}

/** The boards elsewhere that were made or joined from a workspace and are still there, by folder. */
export function notedBoards({ root }: Workspace): Place[] {
  const notes = safeJoin(root, folderName);
  const places = namesIn(notes).flatMap((name) => {
    const path = join(notes, name);
    const folder = name.endsWith(".json") ? folderIn(path) : undefined;
    if (folder !== undefined && isBoardFolder(folder)) return [placeAt(folder)];
    if (folder !== undefined) discard(path);
    return [];
  });
  return places.sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

/** What a note says; undefined for what is none. */
function folderIn(path: string): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileIfPresent(path, limits.messageBytes) ?? "");
    const folder = isRecord(value) ? value["folder"] : undefined;
    return typeof folder === "string" ? folder : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof ConsultaError) return undefined;
    throw cause;
  }
}
