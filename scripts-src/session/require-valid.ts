import { join } from "node:path";
import { refused } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { lstatSync } from "../files/disk.ts";
import type { LogEvent } from "../log/event.ts";
import type { Files, SessionState } from "../protocol/protocol.ts";
import { readFiles } from "./read-files.ts";
import { replay } from "./replay.ts";
import type { Session } from "./session.ts";

/**
 * Rejects an event that is taken only where the whole session validates.
 * @throws ConsultaError REFUSED with the first error and the way out.
 */
export async function requireValid(session: Session, { event }: LogEvent): Promise<void> {
  const fault = await invalidity(session);
  if (fault === undefined) return;
  const { wayOut } = session.kind.traits;
  const other = wayOut === undefined ? "" : `, or ${wayOut}`;
  throw refused(`${fault}; put it right and append ${event} again${other}`);
}

/** The same before the event, for its sender. Of a log too long to be read then nothing is told: validate reads it. */
export async function invalidityAhead(session: Session): Promise<string | undefined> {
  const log = lstatSync(join(session.place.folder, "events.jsonl"));
  return (log?.size ?? 0) > limits.guidedLogBytes ? undefined : invalidity(session);
}

async function invalidity(session: Session): Promise<string | undefined> {
  const { kind, state, place } = session;
  const wanted = kind.filesWanted(state, { for: "inspection" });
  const files = withViews(await readFiles(place.folder, wanted), session);
  const isNeeded = kind.isNeededToInspect?.(files) ?? (() => false);
  const [events, faults]: [LogEvent[], string[]] = [[], []];
  for await (const { before, event } of replay(session, (lines) => faults.push(...lines))) {
    faults.push(
      ...kind.eventFaults(before.state, event).map((fault) => `seq ${event.seq}: ${fault}`),
    );
    if (isNeeded(event)) events.push(event);
  }
  const [first, ...more] = kind.inspect(state, events, files, faults).errors;
  if (first === undefined) return undefined;
  const others = more.length === 0 ? "" : `, and ${more.length} more like this (run validate)`;
  return `the folder does not validate: ${inline(first, 400)}${others}`;
}

/** The files with what follows from the log as it is to be: the event that comes writes it anew. */
function withViews(files: Files, { kind, state }: SessionState): Files {
  const after = new Map(files);
  for (const { within, folder, name, text } of kind.views(state, undefined)) {
    const path = [...folder, name].join("/");
    const known = after.get(path);
    if (within === "session" && known !== undefined) after.set(path, { ...known, text });
  }
  return after;
}
