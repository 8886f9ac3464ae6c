import { join } from "node:path";
import {
  firstSeenFile,
  firstSeenLine,
  notesDocuments,
  readFirstSeen,
  reviewedDocuments,
} from "../core/collaboration/first-seen.ts";
import { ConsultaError } from "../core/errors.ts";
import type { LogEvent } from "../core/event.ts";
import { limits } from "../core/limits.ts";
import { appendToFile, readFileIfPresent, textIfSound } from "../store/atomic-file.ts";
import { resolveProjectFile } from "../store/safe-path.ts";
import type { Place } from "./place.ts";

/**
 * Notes what events say when a script of ours meets them for the first time. Where nothing can be
 * noted, or so much was that the file is full, nobody is stopped by it: then nothing is compared.
 */
export async function noteFirstSeen(place: Place, events: readonly LogEvent[]): Promise<void> {
  if (events.length === 0) return;
  const path = join(place.folder, firstSeenFile);
  try {
    const known = readFileIfPresent(path, limits.messageBytes - limits.eventLineBytes / 4) ?? "";
    const lastSeq = Math.max(0, ...readFirstSeen(known.slice(-lastLineCharacters)).keys());
    const fresh = events.filter(({ seq }) => seq > lastSeq);
    const lines: string[] = [];
    for (const event of fresh) {
      const docs = notesDocuments(event) ? await documentHashes(place) : {};
      lines.push(firstSeenLine(event, docs));
    }
    const text = lines.join("").slice(0, limits.messageBytes / 4);
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole !== "") appendToFile(path, whole, { sync: "nothing" });
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
  }
}

/** A note is shorter: a few hashes and names of ours. */
const lastLineCharacters = 4_096;

async function documentHashes({ folder }: Place): Promise<Record<string, string>> {
  // Loading node:crypto takes 4 ms, which only those who want a hash should pay.
  const { sha256 } = await import("./cited-lines.ts");
  const found = reviewedDocuments.flatMap((name) => {
    const text = textIfSound(resolveProjectFile(folder, name), limits.messageBytes);
    return text === undefined ? [] : [[name, sha256(text)] as const];
  });
  return Object.fromEntries(found);
}
