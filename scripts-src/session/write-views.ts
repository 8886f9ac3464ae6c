import { join } from "node:path";
import { isRecord, parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { isHollow, textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import { ensureFolder, nameIn } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import { isDeliveryNote } from "../protocol/person-step.ts";
import type { View } from "../protocol/protocol.ts";
import type { Place } from "./place.ts";
import { readSession, type Session } from "./session.ts";

/**
 * Writes the views of the newest event. Where others read them as the truth, a writer that was
 * overtaken in between must not have the last word: it looks at the log again after its write.
 */
export async function writeNewestViews(
  session: Session,
  event: LogEvent | undefined,
): Promise<Session> {
  if (!session.kind.sharedLog) {
    writeViews(session, event);
    if (session.kind.mail === undefined) writeSessionFile(session);
    return session;
  }
  let current = await readSession(session);
  // A writer that goes on overtaking writes the views as well: the last of them has the last word.
  for (let rounds = 0; rounds < limits.viewRounds; rounds += 1) {
    writeViews(current, undefined);
    writeSessionFile(current);
    const newer = await readSession(current);
    if (newer.cursor.seq === current.cursor.seq && newer.settings.key === current.settings.key) {
      return newer;
    }
    current = newer;
  }
  return current;
}

/**
 * The session's entry among those of its workspace, as seed 000 has it for a dialogue: a participant that waits
 * in any session watches these files.
 */
export function writeSessionFile({ place, kind, state }: Session): void {
  if (place.workspace === undefined) return;
  const { topic, initiator, startedAt, phase, waitingFor } = kind.standing(state);
  const entry = {
    session_id: place.id,
    topic,
    initiated_by: initiator,
    started_at: startedAt,
    state: phase.toUpperCase(),
    waiting_for: waitingFor,
  };
  const text = `${JSON.stringify(entry, undefined, 2)}\n`;
  const path = nameIn(ensureFolder(place.workspace.root, "sessions"), `${place.id}.json`);
  if (textIfSound(path, 2 * limits.messageBytes) !== text)
    writeFileAtomically(path, text, { sync: "nothing" });
}

export function writeViews({ place, kind, state }: Session, event: LogEvent | undefined): void {
  for (const view of kind.views(state, event)) writeView(place, view);
}

/** Reading is cheaper than replacing, and most events change no view. */
export function writeView(place: Place, view: View): void {
  const folder = ensureFolder(...folderOfView(place, view));
  const found = textIfSound(nameIn(folder, view.name), 2 * limits.messageBytes);
  const isForeign = view.ours !== undefined && isForeignText(found, view.ours.mark);
  const path = nameIn(folder, isForeign && view.ours ? view.ours.otherwise : view.name);
  const before = isForeign ? textIfSound(path, 2 * limits.messageBytes) : found;
  const text = view.keeps === undefined ? view.text : withKept(view.text, found, view.keeps);
  if (before !== text) writeFileAtomically(path, text, { sync: syncOf[view.within] });
}

/** A file that somebody else wrote; one that a power cut emptied is nobody's. */
function isForeignText(found: string | undefined, mark: string): boolean {
  return found !== undefined && !isHollow(found) && !found.includes(mark);
}

/** The text of a JSON view with the fields of the file in its place that are kept, as short texts. */
function withKept(text: string, found: string | undefined, names: readonly string[]): string {
  const file = parseJsonObject(found ?? "");
  const view = parseJsonObject(text);
  // A file that is torn, or being written by its author, keeps nothing: ours is whole.
  if (file === undefined || view?.["session_id"] !== file["session_id"]) return text;
  const kept = names.filter((name) => isShortText(file[name]));
  const fields = Object.fromEntries(kept.map((name) => [name, file[name]]));
  return `${JSON.stringify({ ...view, ...fields }, undefined, 2)}\n`;
}

function isShortText(value: unknown): boolean {
  return typeof value === "string" && value.length <= limits.topicCharacters;
}

/**
 * The settings of a collaboration lie in no other place than the view that replaces them; a solution is
 * for its readers, who run no script. Those of the workspace are written again by the next script that looks.
 */
const syncOf = { session: "content", artifacts: "all", workspace: "nothing" } as const;

/** The folder of a view: an existing root and the components below it. */
export function folderOfView(place: Place, { within, folder }: View): [root: string, ...string[]] {
  const { workspace, config } = place;
  if (within === "session" || workspace === undefined) return [place.folder, ...folder];
  const below = within === "artifacts" ? [config.artifacts_dir, ...folder] : folder;
  return [workspace.root, ...below];
}

/**
 * Writes the views again where a writer died between its event and them, and returns the session as it
 * then stands, and where a power cut took what they held.
 */
export async function repairViews(session: Session): Promise<Session> {
  const { kind, settings, state } = session;
  if (!kind.sharedLog) {
    for (const event of await unmended(session)) writeViews(session, event);
    if (kind.mail === undefined) writeSessionFile(session);
    return session;
  }
  const isCurrent = kind.views(state, undefined).every(({ text }) => isSame(text, settings.text));
  if (!isCurrent) return writeNewestViews(session, undefined);
  writeSessionFile(session);
  return session;
}

/** The events whose views may have been lost: the first, the last acts of one that ended, else none. */
async function unmended({
  place,
  kind,
  state,
  log,
  cursor,
}: Session): Promise<(LogEvent | undefined)[]> {
  const isFresh = !kind.standing(state).ended && existsSync(join(place.folder, "protocol.json"));
  if (isFresh || kind.views(state, undefined).length === 0) return [undefined];
  const first = await log.at(1);
  if (!kind.standing(state).ended) return [first];
  // The last act may only confirm what the one before it closed.
  const acts: LogEvent[] = [];
  for (let seq = cursor.seq; seq > 1 && acts.length < 2; seq -= 1) {
    const event = await log.at(seq);
    if (event !== undefined && !isDeliveryNote(event)) acts.unshift(event);
  }
  return [first, ...acts];
}

/** Says the same, however it is laid out: what somebody else wrote is left as it is. */
function isSame(text: string, found: string | undefined): boolean {
  if (found === undefined || text === found) return text === found;
  const values = [text, found].map((it) => JSON.stringify(JSON.parse(it), sortedKeys));
  return values[0] === values[1];
}

/** `updatedAt` is each writer's own clock. */
function sortedKeys(key: string, value: unknown): unknown {
  if (key === "updatedAt") return undefined;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
