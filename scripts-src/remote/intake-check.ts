import { isUtf8 } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, type JsonObject, quote } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import { pagesOf } from "../log/event-log.ts";
import { FileEventLog } from "../log/file-event-log.ts";
import { parseLine } from "../log/log-line.ts";
import { endedNote, personName, readPersonStep } from "../protocol/person-step.ts";
import type { DocumentRight, Kind, SessionState } from "../protocol/protocol.ts";
import { stateAfter, stateAtStart, stateInSnapshot } from "../protocol/session-state.ts";
import { kindBegunBy, kindNamed } from "../session/kinds.ts";
import { isMark } from "../session/outgoing-documents.ts";
import type { Place } from "../session/place.ts";
import { readSettings } from "../session/workspace/session-settings.ts";
import type { Arrival, ArrivalFault, DocumentChange, Gate, StoreBefore } from "./remote-store.ts";

/**
 * What the kind of a session takes of what other machines send: events that it can read, of those who take
 * part, and of the documents those that such an event may change. The same is asked of what goes out.
 */
export function intakeCheckOf(place: Place): Gate {
  return async (arrivals, store) => {
    const [first] = arrivals;
    if (first === undefined) return undefined;
    const before = await folded(place, first, store);
    if ("fault" in before) return before;
    let { at } = before;
    for (const { seq, line, changes } of arrivals) {
      // Another process of this machine has looked at it meanwhile.
      if (seq <= before.seq) continue;
      const event = eventIn(line, seq);
      const next = evolved(at, event);
      if (typeof next === "string") return { seq, fault: next };
      const fault = await changesFault(at, event, changes);
      if (fault !== undefined) return { seq, ...fault };
      at = next;
    }
    return undefined;
  };
}

/** What the log takes that the person keeps beside a session's: their steps, who heard them, and no document. */
export const personLogIntakeCheck: Gate = async (arrivals) => {
  for (const { seq, line, changes } of arrivals) {
    const [change] = changes;
    if (change !== undefined)
      return { seq, fault: `carries ${quote(change.path)}, expected no document` };
    const event = eventIn(line, seq);
    const isEnd = event.event === endedNote && event.from === personName;
    if (!isEnd && readPersonStep(event) === undefined)
      return { seq, fault: `is no event of the user's own log: ${quote(event.event)}` };
  }
  return undefined;
};

async function changesFault(
  { kind, state }: SessionState,
  event: LogEvent,
  changes: readonly DocumentChange[],
) {
  for (const change of changes) {
    const fault = await documentChangeFault(
      kind.documentRight?.(state, event, change.path),
      change,
    );
    if (fault !== undefined) return { fault, path: change.path };
  }
  return undefined;
}

/** Why an event must not change a document as it does, to follow the event's name; undefined where it may. */
async function documentChangeFault(
  right: DocumentRight | undefined,
  { path, before, after }: DocumentChange,
): Promise<string | undefined> {
  const name = quote(path);
  if (right === undefined) {
    const does = after === undefined ? "removes" : before === undefined ? "brings" : "changes";
    return `${does} ${name}, which is not for it to change`;
  }
  if (after === undefined) return isMark(path) ? undefined : `removes ${name}`;
  if (right.may === "replace") return undefined;
  const [was, is] = [await before?.(), await after()].map((it) => Buffer.from(it ?? []));
  if (was === undefined || is === undefined || was.equals(is)) return undefined;
  if (right.may === "begin")
    return before === undefined ? undefined : `changes ${name}, which was there before`;
  if (!is.subarray(0, was.length).equals(was))
    return `changes in ${name} what was there before, and may only add at its end`;
  const fault = right.fault(is.subarray(was.length).toString());
  return fault === undefined ? undefined : `${fault}, in ${name}`;
}

/** The session after an event, or why its kind does not take that. */
function evolved(at: SessionState, event: LogEvent): SessionState | string {
  const { kind, state } = at;
  try {
    return kind.intakeFault(state, event) ?? stateAfter(at, event);
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    return `is no event of ${kind.traits.called}: ${quote(event.event)}`;
  }
}

interface Folded {
  readonly at: SessionState;
  readonly seq: number;
}

/** The session as it stands before an event, from the copy here and what of the store is not in it yet. */
async function folded(
  place: Place,
  first: Arrival,
  store: StoreBefore,
): Promise<Folded | ArrivalFault> {
  const checkpoint = await new FileEventLog(place.folder).loadCheckpoint();
  const kind = await kindOfSession(checkpoint?.value, first, store);
  const fault = (text: string) => ({ seq: first.seq, fault: text });
  if (kind === undefined) return fault("begins no session that is known here; update Consulta");
  const settings = await settingsOf(place, kind, first, store);
  if (typeof settings === "string") return fault(settings);
  const copy = new FileEventLog(place.folder, { shared: kind.sharedLog });
  const restored = stateInSnapshot(kind, checkpoint?.value, settings);
  let at = restored ?? stateAtStart(kind, settings);
  let cursor = restored === undefined ? copy.start : (checkpoint?.cursor ?? copy.start);
  for await (const page of first.seq > 1 ? pagesOf(copy, cursor) : []) {
    for (const event of page.events) at = stateAfter(at, event);
    ({ cursor } = page);
  }
  let { seq } = cursor;
  const missing = seq < first.seq - 1 ? await store.linesAfter(seq) : [];
  for (const line of missing.slice(0, first.seq - 1 - seq)) {
    seq += 1;
    at = stateAfter(at, eventIn(line, seq));
  }
  return { at, seq };
}

async function kindOfSession(
  remembered: unknown,
  first: Arrival,
  store: StoreBefore,
): Promise<Kind | undefined> {
  const known = isRecord(remembered) ? await kindNamed(remembered["kind"]) : undefined;
  if (known !== undefined && first.seq > 1) return known;
  const line = first.seq === 1 ? first.line : ((await store.linesAfter(0))[0] ?? "");
  return kindBegunBy(eventIn(line, 1).event);
}

/**
 * The settings that came with the first event: whatever lies in the folder here, those are what all
 * machines share.
 */
async function settingsOf(
  place: Place,
  kind: Kind,
  first: Arrival,
  store: StoreBefore,
): Promise<JsonObject | string> {
  const { value } = await readSettings(place, kind);
  const { settings } = kind;
  if (settings === undefined) return value;
  const bytes = await sharedFile(settings.file, first, store);
  if (bytes === undefined || !isUtf8(bytes)) return `comes without a ${settings.file} to read`;
  const shared = settings.read(Buffer.from(bytes).toString());
  const fault = settings.fault(shared);
  if (fault !== undefined) return `comes with settings that nobody can use: ${fault}`;
  // The same settings in another order of keys would be taken for others than the checkpoint's.
  return isDeepStrictEqual(value, shared) ? value : shared;
}

async function sharedFile(
  file: string,
  { seq, changes }: Arrival,
  store: StoreBefore,
): Promise<Uint8Array | undefined> {
  if (seq === 1) return changes.find(({ path }) => path === file)?.after?.();
  const stored = (await store.documents()).filter(({ path }) => path === file);
  return (await store.read(stored))[0]?.bytes;
}

function eventIn(line: string, seq: number): LogEvent {
  const event = parseLine(line, seq);
  if (typeof event === "string") throw new Error(`event ${seq} was looked at, and ${event}`);
  return event;
}
