import { ConsultaError } from "../base/errors.ts";
import { isJsonObject, isRecord, type JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { existsSync } from "../files/disk.ts";
import { stateAfter, stateAtStart } from "../protocol/session-state.ts";
import { deliverMail, mailOf, restoreCopies } from "./inbox/deliver.ts";
import type { Place } from "./place.ts";
import { replay } from "./replay.ts";
import { readSession, type Session, saveCheckpoint } from "./session.ts";
import { finishStagedWrites } from "./staged-writes.ts";
import { sweepSession } from "./sweep.ts";
import { isSound, type Validation, validateSessions, walk } from "./validate-session.ts";
import { writeNewestViews, writeView, writeViews } from "./write-views.ts";

/** What `validate --repair` mended, and what is wrong since. */
export interface SessionRepair extends Validation {
  readonly repaired: readonly string[];
}

/**
 * Rebuilds what follows from the logs: checkpoints, views, deliveries, and settings as they were last
 * known. The logs themselves are never touched. Returns one line for each thing that was mended; nothing
 * for a damaged log.
 */
export async function repairSessions(places: readonly Place[]): Promise<SessionRepair[]> {
  for (const place of places) if (existsSync(place.folder)) sweepSession(place);
  const before = await validateSessions(places);
  const unsound = places.filter((_, index) => !isSound(before[index]));
  for (const place of unsound) await repair(place);
  const again = await validateSessions(unsound);
  const after = new Map(unsound.map((place, index) => [place, again[index]]));
  return places.flatMap((place, index) => {
    const [was, is] = [before[index], after.get(place) ?? before[index]];
    if (was === undefined || is === undefined) return [];
    const left = new Set([...is.errors, ...is.warnings]);
    const repaired = [...was.errors, ...was.warnings]
      .filter((line) => !left.has(line))
      .map((line) => `${line.replace(/; validate .*/, "")}: repaired`);
    return [{ ...is, repaired }];
  });
}

async function repair(place: Place): Promise<void> {
  try {
    const opened = await openMended(place);
    // What was derived from a log before somebody changed it may be all that still tells the truth.
    if ((await opened.log.chain()).changed.length > 0) return;
    const session = await writeViewsAnew(opened);
    await deliverMail(session, mailOf(session));
    await finishStagedWrites(session);
    await saveCheckpoint(session);
  } catch (cause) {
    // Validation, which follows, says what is wrong; nothing here can mend it.
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
  }
}

/** Where others take the views for the truth, only the newest may show. */
async function writeViewsAnew(session: Session): Promise<Session> {
  if (session.kind.sharedLog) {
    // First as it was remembered: without its settings nobody could load the session again.
    writeViews(session, undefined);
    return writeNewestViews(session, undefined);
  }
  const { views } = await walk(session, () => false);
  for await (const step of replay(session)) await restoreCopies(session, step);
  for (const view of views.values()) writeView(session.place, view);
  // Others may have written newer ones in the meantime: theirs are to be the last.
  let current = session;
  for (let rounds = 0; rounds < limits.viewRounds; rounds += 1) {
    const newer = await readSession(current);
    if (newer.cursor.seq === current.cursor.seq) return newer;
    writeViews(newer, await newer.log.at(newer.cursor.seq));
    current = newer;
  }
  return current;
}

/** The session; where its settings cannot be read, with those that the checkpoint remembers. */
async function openMended(place: Place): Promise<Session> {
  const session = await readSession(place, { mayBeFaulty: true });
  const { kind, log, settings } = session;
  if (kind.settings?.fault(settings.value) === undefined) return session;
  const value = (await log.loadCheckpoint())?.value;
  const text = isRecord(value) ? value["settings"] : undefined;
  if (typeof text !== "string") return readSession(place);
  const remembered: JsonValue = JSON.parse(text);
  if (!isJsonObject(remembered)) return readSession(place);
  let at = stateAtStart(kind, remembered);
  for await (const { event } of replay(session)) at = stateAfter(at, event);
  return { ...session, settings: { ...settings, value: remembered, key: text }, state: at.state };
}
