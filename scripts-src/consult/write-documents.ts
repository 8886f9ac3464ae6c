import { resolve } from "node:path";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { ensureFolder, resolveProjectFile } from "../files/safe-path.ts";

/**
 * Writes documents for a participant that may not write itself: only those that are its own to write
 * now, and none unless all can be. Returns why not.
 * @throws ConsultaError REFUSED when a link stands in the way; UNAVAILABLE when the disk refuses.
 */
export function writeDocuments(
  folder: string,
  allowed: readonly string[],
  documents: ReadonlyMap<string, string>,
): string | undefined {
  for (const [path, text] of documents) {
    const fault = documentFault(path, text, allowed);
    if (fault !== undefined) return fault;
  }
  const files = [...documents].map(([path, text]) => ({ ...placeOf(folder, path), text }));
  for (const { root, folders, file, text } of files) {
    ensureFolder(root, ...folders);
    writeFileAtomically(file, text);
  }
  return undefined;
}

function documentFault(path: string, text: string, allowed: readonly string[]): string | undefined {
  if (!allowed.includes(path)) {
    const yours = allowed.length === 0 ? "none in this turn" : allowed.join(", ");
    return `${quote(path)} is not yours to write now: you may write ${yours}`;
  }
  const bytes = Buffer.byteLength(text);
  if (bytes <= limits.messageBytes) return undefined;
  return `${path} has ${bytes} bytes, the limit is ${limits.messageBytes}: make it shorter`;
}

/** Deliverables may lie above the session's folder, in the repository that it is part of. */
function placeOf(folder: string, path: string) {
  const names = path.split("/");
  const up = names.findIndex((name) => name !== "..");
  const root = resolve(folder, ...names.slice(0, up));
  const file = resolveProjectFile(root, names.slice(up).join("/"));
  return { root, folders: names.slice(up, -1), file };
}
