import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import {
  appendToFile,
  createFileExclusively,
  readFileIfPresent,
  textIfSound,
} from "../files/atomic-file.ts";
import { ensureFolder, resolveProjectFile } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { FirstSeenNotes } from "../protocol/protocol.ts";
import type { Place } from "./place.ts";

/**
 * Notes what events say, and what is not there of what they cite, when a script of ours meets them for
 * the first time, where the kind wants it. Where nothing can be noted, or so much was that the file is
 * full, nobody is stopped by it: then nothing is compared.
 */
export async function noteFirstSeen(
  place: Place,
  notes: FirstSeenNotes | undefined,
  events: readonly LogEvent[],
): Promise<void> {
  if (notes === undefined || events.length === 0) return;
  await add(place, notes, async (lastSeq) => {
    const lines: string[] = [];
    for (const event of events.filter(({ seq }) => seq > lastSeq))
      lines.push(await lineFor(place, notes, event, await absentOf(place, notes, event)));
    return lines;
  });
}

/**
 * The same for an event that was stored just now, whose text is in its document; returns what is not
 * there of what it cites. Others may have met it without that text: theirs is not the last word on it.
 */
export async function noteStored(
  place: Place,
  notes: FirstSeenNotes | undefined,
  event: LogEvent,
): Promise<readonly string[]> {
  if (notes === undefined) return [];
  const absent = await absentOf(place, notes, event);
  await add(place, notes, async (lastSeq) =>
    event.seq > lastSeq || absent.length > 0 ? [await lineFor(place, notes, event, absent)] : [],
  );
  return absent;
}

async function add(
  { folder }: Place,
  { file, lastSeq }: FirstSeenNotes,
  linesAfter: (lastSeq: number) => Promise<string[]>,
): Promise<void> {
  const path = join(folder, file);
  try {
    const known = readFileIfPresent(path, limits.messageBytes - limits.eventLineBytes / 4) ?? "";
    const lines = await linesAfter(lastSeq(known.slice(-lastLineCharacters)));
    const text = lines.join("").slice(0, limits.messageBytes / 4);
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole !== "") appendToFile(path, whole, { sync: "nothing" });
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
  }
}

/** A note is shorter: a few hashes, names of ours, and what is absent. */
const lastLineCharacters = 4_096;

/** The next version of a document replaces it, and nothing else remembers what was reviewed. */
function keepDocument({ folder }: Place, keptIn: string, seq: number, name: string): void {
  const text = documentText(folder, name);
  if (text === undefined) return;
  const path = join(ensureFolder(folder, keptIn), keptName(seq, name));
  createFileExclusively(path, text, { sync: "nothing" });
}

/** What a document of an event is kept as. */
export function keptName(seq: number, name: string): string {
  return `${seq}-${name}`;
}

/** Keeps the documents of an event that are to be kept, and says what is noted of it. */
async function lineFor(
  place: Place,
  notes: FirstSeenNotes,
  event: LogEvent,
  absent: readonly string[],
): Promise<string> {
  for (const name of notes.keptOf(event)) keepDocument(place, notes.keptIn, event.seq, name);
  const documents = notes.documentsOf(event);
  const hashes = documents.length === 0 ? {} : await documentHashes(place, documents);
  return notes.lineOf(event, { hashes, absent });
}

async function documentHashes(
  { folder }: Place,
  documents: readonly string[],
): Promise<Record<string, string>> {
  // Loading node:crypto takes 4 ms, which only those who want a hash should pay.
  const { sha256 } = await import("../files/hash.ts");
  const found = documents.flatMap((name) => {
    const text = documentText(folder, name);
    return text === undefined ? [] : [[name, sha256(text)] as const];
  });
  return Object.fromEntries(found);
}

async function absentOf(
  place: Place,
  notes: FirstSeenNotes,
  event: LogEvent,
): Promise<readonly string[]> {
  const document = notes.citingDocument(event);
  const text = document === undefined ? undefined : documentText(place.folder, document);
  const cited = text === undefined ? [] : notes.citationsOf(event, text);
  if (cited.length === 0) return [];
  const { absentCitations } = await import("./absent-citations.ts");
  return absentCitations(place, cited);
}

function documentText(folder: string, name: string): string | undefined {
  return textIfSound(resolveProjectFile(folder, name), limits.messageBytes);
}
