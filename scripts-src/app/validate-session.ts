import { basename, dirname, join, relative, sep } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ConsultaError } from "../core/errors.ts";
import type { LogEvent } from "../core/event.ts";
import { isJsonObject, isRecord, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { View } from "../core/protocol.ts";
import { readFileIfPresent, textIfSound } from "../store/atomic-file.ts";
import { existsSync } from "../store/disk.ts";
import { FileEventLog } from "../store/file-event-log.ts";
import { nameIn, safeJoin } from "../store/safe-path.ts";
import { finishAdditions } from "./additions.ts";
import { deliverMail, isDelivered, mailOf } from "./deliver.ts";
import { alteredCopies, alteredText, restoreCopies } from "./mail-copies.ts";
import { messageFiles } from "./mailbox.ts";
import type { Place } from "./place.ts";
import { readFiles } from "./read-files.ts";
import { readEvents, replay } from "./replay.ts";
import { isBoardFolder, loadSession, openPlace, type Session } from "./session.ts";
import { folderOf, writeViews } from "./submit.ts";
import { sweepSession } from "./sweep.ts";

/** What is wrong with a session. Errors break a rule; warnings can be mended or lived with. */
export interface Findings {
  readonly id: string;
  /** Of which kind the session is, where that can be told. */
  readonly kind?: string;
  readonly errors: string[];
  readonly warnings: string[];
}

/** Between an event and what follows from it a writer takes a moment. */
const momentMs = 60;
const looksMax = 20;

/**
 * Replays a session's whole log against every rule and compares what was derived from it. What is
 * wrong has to be wrong twice: others may just be writing.
 */
export async function validateSession(place: Place): Promise<Findings> {
  let found = await lookOnce(place);
  for (let looks = 1; looks < looksMax && !isSound(found); looks += 1) {
    await setTimeout(momentMs);
    const again = await lookOnce(place);
    if (JSON.stringify(again) === JSON.stringify(found)) return again;
    found = again;
  }
  return found;
}

function isSound({ errors, warnings }: Findings): boolean {
  return errors.length + warnings.length === 0;
}

async function lookOnce(place: Place): Promise<Findings> {
  const { id } = place;
  try {
    const session = await openPlace(place);
    const { events, errors } = await auditLog(session);
    const wanted = session.machine.filesWanted({ for: "inspection" });
    const files = await readFiles(place.folder, wanted);
    const inspected = session.machine.inspect(events, files, errors);
    const kind = session.kind.name;
    const found = {
      id,
      kind,
      ...inspected,
      errors: [...placeFaults(session), ...inspected.errors],
    };
    // What others take for the truth beside the log, the protocol itself compares with it.
    if (session.kind.sharedLog) return found;
    await loadSession(place);
    return { ...found, warnings: [...found.warnings, ...(await derivedFaults(session))] };
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    const lines = await new FileEventLog(place.folder).damage().catch(() => []);
    const errors = lines.length > 0 ? lines : [cause.message];
    if (!isBoardFolder(place.folder)) return { id, errors, warnings: [] };
    const way = lines.length > 0 ? [withoutLog] : [];
    return { id, kind: "findings", errors: [...errors, ...way], warnings: [] };
  }
}

/** Others made boards before there was a log: its files alone make one. */
const withoutLog =
  "move events.jsonl and .checkpoint.json out of the folder: the next command begins a new log from the " +
  "board's files, which hold every report; what the reports cited before is not known any more";

/** The original names the folder as well, for whoever took the wrong one. */
function placeFaults({ kind, place, settings }: Session): string[] {
  if (kind.settings === undefined || settings.text !== undefined) return [];
  const { file } = kind.settings;
  return existsSync(join(place.folder, file)) ? [] : [`missing ${file} in ${place.folder}`];
}

/** The whole log, and what each event broke at its place. */
async function auditLog(session: Session): Promise<{ events: LogEvent[]; errors: string[] }> {
  const events: LogEvent[] = [];
  const errors = (await readEvents(session)).faults;
  // A torn last line is nothing to our readers, but stops a colleague's.
  if (session.kind.sharedLog) errors.push(...(await session.log.damage()));
  for await (const { before, event } of replay(session)) {
    for (const fault of before.audit(event)) errors.push(`seq ${event.seq}: ${fault}`);
    events.push(event);
  }
  return { events, errors };
}

/** Views, deliveries and the log itself, compared with each other. */
async function derivedFaults(session: Session): Promise<string[]> {
  const views = new Map<string, View>();
  const altered: string[] = [];
  for await (const step of replay(session)) {
    for (const view of step.after.views(step.event)) {
      views.set([...folderOf(session.place, view), view.name].join("/"), view);
    }
    altered.push(...(await alteredCopies(session, step)).map(alteredText));
  }
  const stale = [...views].filter(([path, { text }]) => textAt(path) !== text);
  return [
    ...stale.map(([path]) => staleText(session.place, path)),
    ...undelivered(session),
    ...altered,
    ...beyondLog(session),
  ];
}

function textAt(path: string): string | undefined {
  return readFileIfPresent(safeJoin(dirname(path), basename(path)), 2 * limits.messageBytes);
}

function staleText({ workspace, folder }: Place, path: string): string {
  const near = relative(workspace?.root ?? folder, path)
    .split(sep)
    .join("/");
  return `${near} is missing or differs from the log; validate --repair writes it anew`;
}

function undelivered(session: Session): string[] {
  const { workspace } = session.place;
  return mailOf(session)
    .filter((delivery) => workspace !== undefined && !isDelivered(workspace, delivery))
    .map(
      ({ seq, to }) => `message ${seq} never reached inbox-${to}; validate --repair delivers it`,
    );
}

/** Messages that were delivered and that the log lacks: somebody cut it off. */
function beyondLog({ place, cursor, machine }: Session): string[] {
  const { id, workspace } = place;
  if (workspace === undefined) return [];
  const inboxes = machine.standing().participants.map((name) => `inbox-${name}`);
  return ["archive", ...inboxes].flatMap((folder) =>
    messageFiles(safeJoin(workspace.root, folder))
      .filter(
        (file) => file.startsWith(`${id}-`) && /^\d{8}T\d{6}Z-/.test(file.slice(id.length + 1)),
      )
      .flatMap((file) => {
        // What is no copy at all is told by whoever compares it with its message.
        const path = nameIn(safeJoin(workspace.root, folder), file);
        const text = textIfSound(path, 2 * limits.messageBytes) ?? "";
        const seq = Number(/"seq": (\d+)\s*\}\s*$/.exec(text)?.[1] ?? 0);
        return seq > cursor.seq
          ? [
              `${folder}/${file} is message ${seq}, but the log ends at ${cursor.seq}: it was cut off`,
            ]
          : [];
      }),
  );
}

/**
 * Rebuilds what follows from the log: checkpoint, views, deliveries, and settings as they were last
 * known. The log itself is never touched. Gives one line for each thing that was mended; nothing for
 * a damaged log.
 */
export async function repairSession(place: Place): Promise<string[]> {
  if (existsSync(place.folder)) sweepSession(place);
  const before = await validateSession(place);
  const found = [...before.errors, ...before.warnings];
  if (found.length === 0) return [];
  try {
    const session = await openMended(place);
    await writeViewsAnew(session);
    await deliverMail(session, mailOf(session));
    await finishAdditions(session);
    await session.log.saveCheckpoint({ cursor: session.cursor, value: session.machine.snapshot() });
  } catch (cause) {
    // Validation, which follows, says what is wrong; nothing here can mend it.
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
  }
  const after = await validateSession(place);
  const left = new Set([...after.errors, ...after.warnings]);
  return found
    .filter((line) => !left.has(line))
    .map((line) => `${line.replace(/; validate .*/, "")}: mended`);
}

/** Where others take the views for the truth, only the newest may show. */
async function writeViewsAnew(session: Session): Promise<void> {
  for await (const step of replay(session)) {
    const isNewest = step.event.seq === session.cursor.seq;
    if (isNewest || !session.kind.sharedLog) writeViews(session.place, step.after, step.event);
    await restoreCopies(session, step);
  }
}

/** The session; where its settings cannot be read, with those that the checkpoint remembers. */
async function openMended(place: Place): Promise<Session> {
  const session = await openPlace(place);
  const { kind, log, settings } = session;
  if (kind.settings?.fault(settings.value) === undefined) return session;
  const value = (await log.loadCheckpoint())?.value;
  const text = isRecord(value) ? value["settings"] : undefined;
  if (typeof text !== "string") return loadSession(place);
  const remembered: JsonValue = JSON.parse(text);
  if (!isJsonObject(remembered)) return loadSession(place);
  const { cursor } = await readEvents(session);
  let machine = kind.start(remembered);
  for await (const { event } of replay(session)) machine = machine.evolve(event);
  return { ...session, settings: { ...settings, value: remembered, key: text }, cursor, machine };
}
