import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ConsultaError } from "../base/errors.ts";
import { firstOf } from "../base/first-of.ts";
import { limits } from "../base/limits.ts";
import { existsSync } from "../files/disk.ts";
import { safeJoin } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import { FileEventLog } from "../log/file-event-log.ts";
import type { View } from "../protocol/protocol.ts";
import { alteredCopies, alteredText, isDelivered, mailOf } from "./inbox/deliver.ts";
import { DeliveredMail, seqIn } from "./inbox/mailbox.ts";
import { kindNamed, kindWithoutLog } from "./kinds.ts";
import { openSession } from "./open.ts";
import type { Place } from "./place.ts";
import { readFiles } from "./read-files.ts";
import { replay } from "./replay.ts";
import { readSession, type Session } from "./session.ts";
import { changedReport, logTrust, lostSinceReport, viewFault } from "./tampering.ts";
import { folderOfView } from "./write-views.ts";

/** What is wrong with a session. Errors break a rule; warnings can be mended or lived with. */
export interface Validation {
  readonly id: string;
  /** Of which kind the session is, where that can be told. */
  readonly kind?: string | undefined;
  readonly errors: string[];
  readonly warnings: string[];
  /** What only a script can notice, and what is no fault: see the report's marks. */
  readonly marks: string[];
  /** Stated rules that are not kept and that others who share the session do not look at. */
  readonly unkept: string[];
}

/** Between an event and what follows from it a writer takes a moment. */
const momentMs = 60;

/**
 * Replays the whole logs of sessions against every rule and compares what was derived from them. What
 * is wrong has to be wrong twice: others may just be writing.
 */
export async function validateSessions(places: readonly Place[]): Promise<Validation[]> {
  const found = await lookAt(places);
  if (found.every((it) => isSound(it, true))) return found;
  await setTimeout(momentMs);
  const doubted = places.filter((_, index) => !isSound(found[index], true));
  const again = new Map((await lookAt(doubted)).map((it, index) => [doubted[index], it]));
  return found.map((one, index) => {
    const other = again.get(places[index]);
    return other === undefined ? one : inBoth(one, other);
  });
}

async function lookAt(places: readonly Place[]): Promise<Validation[]> {
  const mail = new DeliveredMail();
  const found: Validation[] = [];
  for (const place of places) {
    const it = await lookOnce(place, mail).catch((cause: unknown) => unreadable(place, cause));
    found.push({ ...it, errors: bounded(it.errors), warnings: bounded(it.warnings) });
  }
  return found;
}

/** Whether there is nothing to mend; or, with `isWhole`, nothing to tell at all. */
export function isSound(found: Validation | undefined, isWhole = false): boolean {
  if (found === undefined || found.errors.length + found.warnings.length > 0) return false;
  return !isWhole || found.unkept.length === 0;
}

function inBoth(one: Validation, other: Validation): Validation {
  const both = (name: "errors" | "warnings" | "unkept") =>
    other[name].filter((line) => one[name].includes(line));
  return { ...other, errors: both("errors"), warnings: both("warnings"), unkept: both("unkept") };
}

/** A log that somebody filled with faults fills no context. */
function bounded(lines: string[]): string[] {
  return firstOf(lines, limits.faultsTold, (more) => `${more} more like these`);
}

async function lookOnce(place: Place, mail: DeliveredMail): Promise<Validation> {
  const session = await openSession(place, { fetch: "unless-offline", mayBeFaulty: true });
  const { kind, state, log } = session;
  const files = await readFiles(place.folder, kind.filesWanted(state, { for: "inspection" }));
  const { events, errors, views, altered } = await walk(
    session,
    kind.isNeededToInspect?.(files) ?? (() => false),
  );
  const inspected = kind.inspect(state, events, files, errors);
  const elsewhere = await log.differences();
  const { changed, marks } = await logTrust(session);
  // To the originals that share a log it is valid all the same: they look at no chain.
  const unkept = [...(kind.sharedLog ? changed : []), ...(inspected.unkept ?? [])];
  const own = kind.sharedLog ? [] : changed;
  // What others take for the truth beside the log, the protocol itself compares with it.
  if (!kind.sharedLog) await readSession(place);
  const derived = kind.sharedLog ? [] : [...derivedFaults(session, views, mail), ...altered];
  return {
    ...{ id: place.id, kind: kind.name },
    errors: [...elsewhere, ...placeFaults(session), ...own, ...inspected.errors],
    warnings: [...inspected.warnings, ...(await reportFaults(session)), ...derived],
    marks: [...(kind.marks?.(state) ?? []), ...marks],
    unkept: unkept.filter((text) => !inspected.errors.includes(text)),
  };
}

async function reportFaults(session: Session): Promise<string[]> {
  const lost = await lostSinceReport(session);
  const toFind = "put a copy of the log back, or move that report away to go on with what is left";
  return [...(lost === undefined ? [] : [`${lost}; ${toFind}`]), ...(await changedReport(session))];
}

/** A session that cannot be replayed, and why. */
async function unreadable({ id, folder }: Place, cause: unknown): Promise<Validation> {
  if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
  const lines = await new FileEventLog(folder).damage().catch(() => []);
  const kind = await kindNamed(kindWithoutLog(folder));
  const wayOut = kind?.traits.damagedLog;
  const damage = wayOut === undefined ? lines : [...lines, wayOut];
  const errors = lines.length > 0 ? damage : [cause.message];
  return { id, kind: kind?.name, errors, warnings: [], marks: [], unkept: [] };
}

/** The original names the folder as well, for a user who took the wrong one. */
function placeFaults({ kind, place, settings }: Session): string[] {
  if (kind.settings === undefined || settings.text !== undefined) return [];
  const { file } = kind.settings;
  return existsSync(join(place.folder, file)) ? [] : [`missing ${file} in ${place.folder}`];
}

/** What a whole log tells: what each event broke at its place, and the views that follow. */
interface Walk {
  /** Those that documents are compared with. */
  readonly events: LogEvent[];
  readonly errors: string[];
  /** By the path at which each is. */
  readonly views: Map<string, View>;
  /** Which copies of messages say something else than the log. */
  readonly altered: string[];
}

export async function walk(
  session: Session,
  isInspected: (event: LogEvent) => boolean,
): Promise<Walk> {
  const events: LogEvent[] = [];
  const faults: string[] = [];
  const broken: string[] = [];
  const altered: string[] = [];
  const views = new Map<string, View>();
  // A torn last line is nothing to our readers, but stops a colleague's.
  const damage = session.kind.sharedLog ? await session.log.damage() : [];
  let uncompared = 0;
  for await (const step of replay(session, (lines) => add(faults, lines))) {
    const { before, after, event } = step;
    add(broken, before.kind.eventFaults(before.state, event), `seq ${event.seq}: `);
    if (session.kind.sharedLog) {
      if (!isInspected(event)) continue;
      if (events.length < limits.inspectedEvents) events.push(event);
      else uncompared += 1;
    } else {
      for (const view of after.kind.views(after.state, event))
        views.set([...folderOfView(session.place, view), view.name].join("/"), view);
      add(altered, (await alteredCopies(session, step)).map(alteredText));
    }
  }
  const tooLong = `documents were compared with ${limits.inspectedEvents} events, and ${uncompared} came behind them: the log is longer than is looked at`;
  const errors = [...faults, ...damage, ...broken, ...(uncompared > 0 ? [tooLong] : [])];
  return { events, errors, views, altered };
}

/** One more than is told: that there are more is seen. */
function add(known: string[], lines: readonly string[], before = ""): void {
  for (const line of lines) if (known.length <= limits.faultsTold) known.push(`${before}${line}`);
}

/** Views, deliveries and the log itself, compared with each other. */
function derivedFaults(session: Session, views: Walk["views"], mail: DeliveredMail): string[] {
  const { place } = session;
  const { workspace } = place;
  const stale = [...views.values()].flatMap((view) => viewFault(place, view) ?? []);
  const missing = mailOf(session).filter(
    (delivery) => workspace !== undefined && !isDelivered(workspace, delivery),
  );
  return [
    ...stale.map((fault) => `${fault}; validate --repair writes it anew`),
    ...missing.map(
      ({ seq, to }) => `message ${seq} never reached inbox-${to}; validate --repair delivers it`,
    ),
    ...beyondLog(session, mail),
  ];
}

/** Messages that were delivered and that the log lacks: somebody cut it off. */
function beyondLog({ place, cursor, kind, state }: Session, mail: DeliveredMail): string[] {
  const { id, workspace } = place;
  if (workspace === undefined) return [];
  const inboxes = kind.standing(state).participants.map((name) => `inbox-${name}`);
  return ["archive", ...inboxes].flatMap((folder) =>
    mail.filesOf(safeJoin(workspace.root, folder), id).flatMap((file) => {
      const seq = seqIn(join(workspace.root, folder, file));
      const fault = `is message ${seq}, but the log ends at ${cursor.seq}: it was cut off`;
      return seq > cursor.seq ? [`${folder}/${file} ${fault}`] : [];
    }),
  );
}
