import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { appendToFile, readFileIfPresent, textIfSound } from "../files/atomic-file.ts";
import { resolveProjectFile } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { FirstSeenNotes } from "../protocol/protocol.ts";
import type { Place } from "./place.ts";

/**
 * Notes what events say when a script of ours meets them for the first time, where the kind wants it.
 * Where nothing can be noted, or so much was that the file is full, nobody is stopped by it: then
 * nothing is compared.
 */
export async function noteFirstSeen(
  place: Place,
  notes: FirstSeenNotes | undefined,
  events: readonly LogEvent[],
): Promise<void> {
  if (notes === undefined || events.length === 0) return;
  const path = join(place.folder, notes.file);
  try {
    const known = readFileIfPresent(path, limits.messageBytes - limits.eventLineBytes / 4) ?? "";
    const lastSeq = notes.lastSeq(known.slice(-lastLineCharacters));
    const fresh = events.filter(({ seq }) => seq > lastSeq);
    const lines: string[] = [];
    for (const event of fresh) {
      const documents = notes.documentsOf(event);
      const hashes = documents.length === 0 ? {} : await documentHashes(place, documents);
      lines.push(notes.lineOf(event, hashes));
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

async function documentHashes(
  { folder }: Place,
  documents: readonly string[],
): Promise<Record<string, string>> {
  // Loading node:crypto takes 4 ms, which only those who want a hash should pay.
  const { sha256 } = await import("../files/sha256.ts");
  const found = documents.flatMap((name) => {
    const text = textIfSound(resolveProjectFile(folder, name), limits.messageBytes);
    return text === undefined ? [] : [[name, sha256(text)] as const];
  });
  return Object.fromEntries(found);
}
