import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { lstatSync } from "../files/disk.ts";
import type { LogEvent } from "../log/event.ts";
import type { Machine } from "../protocol/machine.ts";
import type { Addition, Files, Inspection, RuleGuide } from "../protocol/protocol.ts";
import { readFiles } from "./read-files.ts";
import { replay } from "./replay.ts";
import type { Session } from "./session.ts";

/**
 * Rejects an event that a stated rule forbids by what the whole session holds.
 * @throws ConsultaError REFUSED with the rule and the way out.
 */
export async function requireKept(
  session: Session,
  event: LogEvent,
  additions: readonly Addition[],
): Promise<void> {
  const { machine } = session;
  const { files: found, events, errors } = await lookAt(session);
  const files = withViews(found, machine);
  const before = machine.inspect(events, files, errors);
  const after = machine.evolve(event).inspect([...events, event], withTexts(files, additions), []);
  const fault = machine.unkept?.fault(event, before, after);
  if (fault !== undefined) throw new ConsultaError("REFUSED", fault);
}

/**
 * What a participant should know of stated rules that are not kept. Of a log too long to be read at
 * every step nothing is told here: validate reads it.
 */
export async function ruleGuide(session: Session, participant: string): Promise<RuleGuide> {
  const { unkept } = session.machine;
  const log = lstatSync(join(session.place.folder, "events.jsonl"), { throwIfNoEntry: false });
  if (unkept === undefined || (log?.size ?? 0) > limits.guidedLogBytes)
    return { obligations: [], advice: [] };
  return unkept.guide(participant, await inspectSession(session));
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

/** The files with what follows from the log as it is to be: the event that comes writes it anew. */
function withViews(files: Files, machine: Machine): Files {
  const after = new Map(files);
  for (const { within, folder, name, text } of machine.views(undefined)) {
    const path = [...folder, name].join("/");
    const known = after.get(path);
    if (within === "session" && known !== undefined) after.set(path, { ...known, text });
  }
  return after;
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
