import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import type { ForeignChange } from "../protocol/protocol.ts";
import { readFiles } from "./read-files.ts";
import type { Session } from "./session.ts";
import { submit } from "./submit.ts";

/** Others act while this one looks: after so many rounds the next script goes on. */
const roundsMax = 8;

/**
 * Enters in the log what others did to the session's files without our scripts, in the order in
 * which the protocol finds it.
 * @throws ConsultaError UNAVAILABLE when the disk refuses.
 */
export async function importChanges(known: Session, clock: Clock): Promise<Session> {
  let session = known;
  for (let rounds = 0; rounds < roundsMax; rounds += 1) {
    const { machine, place } = session;
    if (machine.notice === undefined) break;
    const files = await readFiles(place.folder, machine.filesWanted({ for: "notice" }));
    const noticed = machine.notice(files);
    const before = session.cursor.seq;
    for (const it of noticed) session = await enter(session, it, clock);
    if (session.cursor.seq === before) break;
  }
  return session;
}

/**
 * The session as its files have it now, for those who only look: nothing is written. The events that
 * `importChanges` would enter are folded and not kept.
 */
export async function previewChanges(known: Session, clock: Clock): Promise<Session> {
  let { machine } = known;
  for (let rounds = 0; rounds < roundsMax; rounds += 1) {
    if (machine.notice === undefined) break;
    const { folder } = known.place;
    const files = await readFiles(folder, machine.filesWanted({ for: "notice" }));
    let isNews = false;
    for (const { participant, fields } of machine.notice(files)) {
      const wanted = machine.filesWanted({ for: "decision", participant, fields });
      const facts = await readFiles(folder, wanted);
      const by = { participant, origin: "folder" as const, fields, id: "", at: clock.now() };
      const decision = machine.decide({ ...by, files: facts });
      if (!decision.ok || !("event" in decision)) continue;
      machine = machine.evolve(decision.event);
      isNews = true;
    }
    if (!isNews) break;
  }
  return { ...known, machine };
}

async function enter(
  session: Session,
  { participant, fields }: ForeignChange,
  clock: Clock,
): Promise<Session> {
  const by = { participant, origin: "folder" as const, fields };
  try {
    return (await submit(session, { ...by, at: clock.now(), id: clock.newId() })).session;
  } catch (cause) {
    // What another script has entered meanwhile is no news any more.
    if (cause instanceof ConsultaError && cause.code !== "UNAVAILABLE") return session;
    throw cause;
  }
}
