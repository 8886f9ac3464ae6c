import { dirname, join } from "node:path";
import { ConsultaError, unavailable } from "../base/errors.ts";
import { isRecord, parseStrictJson } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { isLeftBehind, type ProcessName, processIn, thisProcess } from "../clis/is-running.ts";
import {
  appendToFile,
  createFileExclusively,
  moveFile,
  namesIn,
  readFileIfPresent,
  sweepTemporaryFiles,
  uniqueSuffix,
  writeFileAtomically,
} from "../files/atomic-file.ts";
import { isRealFolder } from "../files/disk.ts";
import { discard, syncFile, syncFolder } from "../files/safe-open.ts";
import { ensureFolder, resolveProjectFile } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { Addition } from "../protocol/protocol.ts";
import { type Place, pendingFolder } from "./place.ts";
import type { Session } from "./session.ts";
import { dropGivenUp } from "./unanswered-tries.ts";

/** Text that waits for its event to be stored. */
export interface StagedWrites {
  /** The event is stored: the text goes into its document. */
  add(): void;
  /** The event came to nothing. */
  discard(): void;
}

const stagedName = /^\d+-.*\.json$/;
/** A document of many reviews may outgrow what a rule reads of it. */
const documentBytes = 64 * limits.messageBytes;
/** Escaped for JSON, a text grows up to sixfold. */
const stagedBytes = 8 * limits.messageBytes;
/** A writer that has not finished by then is dead, whatever else has its number now. */
const deadMs = 60_000;

/**
 * Keeps the text that an event brings into a document, before the event is appended: a writer that dies
 * in between has it finished by the next script that looks (`finishStagedWrites`).
 * @throws ConsultaError REFUSED when the document is no regular file of text.
 */
export function stageWrite(place: Place, event: LogEvent, addition: Addition): StagedWrites {
  const { seq, from, summary, at } = event;
  // What cannot be read could not be added to either: better to know before the event is stored.
  readFileIfPresent(resolveProjectFile(place.folder, addition.path), documentBytes);
  const path = join(ensureFolder(place.folder, pendingFolder), `${seq}-${uniqueSuffix()}.json`);
  const kept = { seq, from, event: event.event, at, summary, ...addition, ...thisProcess() };
  writeFileAtomically(path, `${JSON.stringify(kept)}\n`);
  return {
    add: () => finish(place, path, addition, appendOnce),
    discard: () => discard(path),
  };
}

/** Finishes what writers that died between event and document left behind. */
export async function finishStagedWrites({ place, log, cursor }: Session): Promise<void> {
  const folder = join(place.folder, pendingFolder);
  // A link leads to files that are not ours to finish or to remove.
  if (!isRealFolder(folder)) return;
  sweepTemporaryFiles(folder);
  const names = namesIn(folder);
  dropGivenUp(folder, names);
  for (const name of names.filter((it) => stagedName.test(it))) {
    const path = join(folder, name);
    const kept = read(path);
    if (kept !== undefined && !isLeftBehind(path, kept, deadMs)) continue;
    // An event that is not in the log yet may still be: the next writer finishes what was begun.
    if (kept !== undefined && kept.seq > cursor.seq) continue;
    const event = kept === undefined ? undefined : await log.at(kept.seq);
    if (kept === undefined || event === undefined || !isOf(kept, event)) discard(path);
    else takeOver(place, path, kept);
  }
}

/** Whose event came to nothing may have said it again: the heading tells one try from another. */
function isOf(kept: Kept, { from, event, at, summary }: LogEvent): boolean {
  const same = from === kept.from && event === kept.event && summary === kept.summary;
  return same && at === kept.at;
}

/** Of several that find the text of a dead writer one takes it over and adds it. */
function takeOver(place: Place, path: string, kept: Kept): void {
  const own = join(dirname(path), `${kept.seq}-${uniqueSuffix()}.json`);
  if (!moveFile(path, own)) return;
  writeFileAtomically(own, `${JSON.stringify({ ...kept, ...thisProcess() })}\n`);
  try {
    finish(place, own, kept, appendAnew);
  } catch (cause) {
    // A document that cannot be added to stops nobody: the text waits until it can.
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
  }
}

/** Brings the text in unless it is there; one write, so that nothing of another writer is lost. */
function finish(
  place: Place,
  staged: string,
  { as, path, text }: Addition,
  append: typeof appendOnce,
): void {
  const file = resolveProjectFile(place.folder, path);
  if (as === "file") {
    ensureFolder(place.folder, ...path.split("/").slice(0, -1));
    createOnce(file, text);
  } else {
    append(file, text.trimEnd(), as === "section" ? "\n" : "");
  }
  discard(staged);
}

const freeNamesMax = 100;

/** Under the next free name where somebody else has taken this one: no text is lost over a name. */
function createOnce(file: string, text: string): void {
  for (let number = 1; number <= freeNamesMax; number += 1) {
    const path = number === 1 ? file : file.replace(/\.md$/, `-${number}.md`);
    if (createFileExclusively(path, text)) return;
    if (readFileIfPresent(path, documentBytes) !== text) continue;
    syncFolder(dirname(path));
    return;
  }
  throw unavailable(`${file} and every name like it are taken; clear some of them`);
}

/** Its first line tells whether the text is in the document. */
function appendOnce(file: string, text: string, gap: string): void {
  const before = readFileIfPresent(file, documentBytes) ?? "";
  const missing = missingIn(before, text, gap);
  // Who wrote it may have died before it was synced.
  if (missing === "") syncFile(file);
  else appendToFile(file, missing);
}

function missingIn(before: string, text: string, gap: string): string {
  const [first = ""] = text.split("\n");
  if (before.split(/\r?\n/).includes(first)) return "";
  const end = before === "" || before.endsWith("\n") ? "" : "\n";
  return `${end}${gap}${text}\n`;
}

/** What a document will say when a text was added to it. */
export function withAddition(before: string, { as, text }: Addition): string {
  if (as === "file") return text;
  return before + missingIn(before, text.trimEnd(), as === "section" ? "\n" : "");
}

/** As `appendOnce`, in a document whose end a power cut may have torn: zeros, or a part of the text. */
function appendAnew(file: string, text: string, gap: string): void {
  const before = readFileIfPresent(file, documentBytes) ?? "";
  const sound = withoutTornEnd(before.replace(/\0+$/, ""), text, gap);
  if (sound !== before) writeFileAtomically(file, sound);
  appendOnce(file, text, gap);
}

/** Without a part of the text at the end, and its gap; nothing else ends in the middle of the text. */
function withoutTornEnd(document: string, text: string, gap: string): string {
  const [first = ""] = text.split("\n");
  const heading = document.lastIndexOf(first);
  const start = heading === -1 ? document.lastIndexOf("\n") + 1 : heading;
  const end = document.slice(start);
  const isTorn = end !== "" && end.length < text.length && text.startsWith(end);
  if (!isTorn) return document;
  const hasGap = gap !== "" && document.slice(0, start).endsWith(`\n${gap}`);
  return document.slice(0, start - (hasGap ? gap.length : 0));
}

interface Kept extends Addition, ProcessName {
  readonly seq: number;
  readonly from: string;
  readonly event: string;
  readonly at: string;
  readonly summary: string;
}

/** What a writer staged; undefined for what nobody can finish. */
function read(file: string): Kept | undefined {
  try {
    return parse(readFileIfPresent(file, stagedBytes) ?? "{}");
  } catch (cause) {
    if (cause instanceof ConsultaError && cause.code === "REFUSED") return undefined;
    throw cause;
  }
}

function parse(content: string): Kept | undefined {
  const kept = parseStrictJson(content, "a staged text");
  if (!isRecord(kept)) return undefined;
  const { seq, from, event, at, summary, as, path, text } = kept;
  if (typeof seq !== "number" || typeof from !== "string" || typeof event !== "string")
    return undefined;
  if (typeof summary !== "string" || typeof at !== "string") return undefined;
  // Somebody else may have put the file here: it leads to no other document.
  if (typeof path !== "string" || !/^(?:\.versions\/|(?:[\w-]+\/)*)[\w-]+\.md$/.test(path))
    return undefined;
  if (typeof text !== "string") return undefined;
  if (as !== "section" && as !== "line" && as !== "file") return undefined;
  return { seq, from, event, at, summary, as, path, text, ...processIn(kept) };
}
