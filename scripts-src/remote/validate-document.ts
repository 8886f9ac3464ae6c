import { isInstructions } from "../base/instruction-files.ts";
import { quote } from "../base/json.ts";
import { remoteLimits } from "./limits.ts";

/** What the folder of a session holds beside its documents. */
const ownFiles = new Set(["events.jsonl"]);
/** An empty file, or nearly so, whose being there says something: the only hidden ones that are shared. */
const marks = new Set([".ready"]);
/** The list of a board's agents, whose name seed 004 gives; its rules let no other text into it. */
const boardsList = "agents.md";
const windowsDevice = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/**
 * Why something cannot be a document that machines share, to follow its path; undefined where it can:
 * a file below the session's folder, not hidden, with a name that every system takes.
 */
export function documentFault(path: string, bytes: number): string | undefined {
  if (path.length > remoteLimits.pathCharacters) return "has too long a path";
  if (ownFiles.has(path.toLowerCase())) return "is the log";
  const names = path.split("/");
  if (!names.every(isPlainName)) return "is no plain path";
  if (path !== boardsList && names.some(isInstructions))
    return "AI CLIs take for instructions of their user";
  if (bytes <= remoteLimits.documentBytes) return undefined;
  return `has ${bytes} bytes; the limit is ${remoteLimits.documentBytes}`;
}

/** A document by its size alone. */
export interface SizedDocument {
  readonly path: string;
  readonly bytes: number;
}

/** What no script of Consulta would have stored together; undefined where all may be. */
export function documentsFault(documents: readonly SizedDocument[]): string | undefined {
  if (documents.length > remoteLimits.documents)
    return `has ${documents.length} documents; the limit is ${remoteLimits.documents}`;
  const seen = new Set<string>();
  let sum = 0;
  for (const { path, bytes } of documents) {
    const fault = documentFault(path, bytes);
    if (fault !== undefined) return `has ${quote(path)}, which ${fault}`;
    // On some systems one would replace the other.
    const name = path.normalize("NFC").toLowerCase();
    if (seen.has(name)) return `has ${quote(path)} under two spellings`;
    seen.add(name);
    sum += bytes;
  }
  if (sum <= remoteLimits.documentsBytes) return undefined;
  return `has more than ${remoteLimits.documentsBytes} bytes of documents`;
}

/** Whether a path leads to a mark, which may come and go. */
export function isMark(path: string): boolean {
  return marks.has(path.split("/").at(-1) ?? "");
}

function isPlainName(name: string): boolean {
  if (marks.has(name)) return true;
  if (name === "" || name.startsWith(".") || /[. ]$/.test(name)) return false;
  return !/["*/:<>?\\|\p{Cc}\p{Cf}\p{Cs}]/u.test(name) && !windowsDevice.test(name);
}
