import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { lstatSync } from "../files/disk.ts";
import type { LogEvent } from "../log/event.ts";
import type { Addition, Files, Inspection } from "../protocol/protocol.ts";
import { readFiles } from "./read-files.ts";
import { replay } from "./replay.ts";
import type { Session } from "./session.ts";

/**
 * Rejects an event that would leave a stated rule unkept, in a session that was begun so.
 * @throws ConsultaError REFUSED with the rule and the way out.
 */
export async function requireKept(
  session: Session,
  event: LogEvent,
  additions: readonly Addition[],
): Promise<void> {
  const { machine } = session;
  const { files, events, errors } = await lookAt(session);
  const before = machine.inspect(events, files, errors);
  const after = machine.evolve(event).inspect([...events, event], withTexts(files, additions), []);
  const fault = machine.unkept?.fault(event, before, after);
  if (fault !== undefined) throw new ConsultaError("REFUSED", fault);
}

/**
 * What a participant should know of stated rules that are not kept. Of a log too long to be read at
 * every step nothing is told here: validate reads it.
 */
export async function unkeptAdvice(session: Session, participant: string): Promise<string[]> {
  const { unkept } = session.machine;
  const log = lstatSync(join(session.place.folder, "events.jsonl"), { throwIfNoEntry: false });
  if (unkept === undefined || (log?.size ?? 0) > limits.guidedLogBytes) return [];
  return unkept.advice(participant, await inspectSession(session));
}

async function inspectSession(session: Session): Promise<Inspection> {
  const { files, events, errors } = await lookAt(session);
  return session.machine.inspect(events, files, errors);
}

async function lookAt(session: Session) {
  const { machine, place } = session;
  const files = await readFiles(place.folder, machine.filesWanted({ for: "inspection" }));
  const isNeeded = machine.isNeededToInspect(files);
  const [events, errors]: [LogEvent[], string[]] = [[], []];
  for await (const { before, event } of replay(session, (faults) => errors.push(...faults))) {
    errors.push(...before.audit(event).map((fault) => `seq ${event.seq}: ${fault}`));
    if (isNeeded(event)) events.push(event);
  }
  return { files, events, errors };
}

/** The files as they are once the event's texts are in them. */
function withTexts(files: Files, additions: readonly Addition[]): Files {
  const after = new Map(files);
  for (const { path, text } of additions) {
    const known = after.get(path) ?? { bytes: 0 };
    after.set(path, { ...known, text: `${known.text ?? ""}\n${text}\n` });
  }
  return after;
}
