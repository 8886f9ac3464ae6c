import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { existsSync } from "../files/disk.ts";
import { safeJoin } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import { FileEventLog } from "../log/file-event-log.ts";
import type { View } from "../protocol/protocol.ts";
import { systemClock } from "../script/clock.ts";
import { logTrust, viewFault } from "./detect-tampering.ts";
import { alteredCopies, alteredText, isDelivered, mailOf } from "./inbox/deliver.ts";
import { DeliveredMail, seqIn } from "./inbox/mailbox.ts";
import { kindNamed, kindWithoutLog } from "./kinds.ts";
import { openSession } from "./open.ts";
import type { Place } from "./place.ts";
import { readFiles } from "./read-files.ts";
import { replay } from "./replay.ts";
import { changedReport, lostSinceReport } from "./saved-report.ts";
import { readSession, type Session } from "./session.ts";
import { folderOfView } from "./write-views.ts";

/** What is wrong with a session. Errors break a rule; warnings can be mended or lived with. */
export interface Validation {
  readonly id: string;
  /** Of which kind the session is, where that can be told. */
  readonly kind?: string;
  readonly errors: string[];
  readonly warnings: string[];
  /** What only a script can notice, and what is no fault: see the report's marks. */
  readonly marks?: string[];
  /** Stated rules that are not kept and that others who share the session do not look at. */
  readonly unkept?: string[];
}

/** Between an event and what follows from it a writer takes a moment. */
const momentMs = 60;

export async function validateSession(place: Place): Promise<Validation> {
  const [found] = await validateSessions([place]);
  return found ?? { id: place.id, errors: [], warnings: [] };
}

/**
 * Replays the whole logs of sessions against every rule and compares what was derived from them. What
 * is wrong has to be wrong twice: others may just be writing.
 */
export async function validateSessions(places: readonly Place[]): Promise<Validation[]> {
  const found = await lookAt(places);
  const doubted = [...places.keys()].filter((index) => !isSound(found[index], true));
  if (doubted.length === 0) return found;
  await setTimeout(momentMs);
  const again = await lookAt(places.filter((_, index) => doubted.includes(index)));
  for (const [at, index] of doubted.entries()) found[index] = inBoth(found[index], again[at]);
  return found;
}

async function lookAt(places: readonly Place[]): Promise<Validation[]> {
  const mail = new DeliveredMail();
  const found: Validation[] = [];
  for (const place of places) found.push(boundedFindings(await lookOnce(place, mail)));
  return found;
}

/** Whether there is nothing to mend; or, with `isWhole`, nothing to tell at all. */
export function isSound(found: Validation | undefined, isWhole = false): boolean {
  const { errors = [""], warnings = [], unkept = [] } = found ?? {};
  return errors.length + warnings.length + (isWhole ? unkept.length : 0) === 0;
}

function inBoth(one: Validation | undefined, other: Validation | undefined): Validation {
  const [errors, warnings, unkept] = [one?.errors, one?.warnings, one?.unkept].map(
    (lines) => new Set(lines),
  );
  return {
    id: "",
    ...other,
    errors: (other?.errors ?? []).filter((line) => errors?.has(line)),
    warnings: (other?.warnings ?? []).filter((line) => warnings?.has(line)),
    marks: other?.marks ?? [],
    unkept: (other?.unkept ?? []).filter((line) => unkept?.has(line)),
  };
}

/** A log that somebody filled with faults fills no context. */
function boundedFindings(found: Validation): Validation {
  const cut = (lines: string[]) =>
    lines.length <= limits.faultsTold
      ? lines
      : [
          ...lines.slice(0, limits.faultsTold),
          `${lines.length - limits.faultsTold} more like these`,
        ];
  return { ...found, errors: cut(found.errors), warnings: cut(found.warnings) };
}

async function lookOnce(place: Place, mail: DeliveredMail): Promise<Validation> {
  const { id } = place;
  try {
    const session = await openSession(place, { fetch: "unless-offline", mayBeFaulty: true });
    const wanted = session.kind.filesWanted(session.state, { for: "inspection" });
    const files = await readFiles(place.folder, wanted);
    const { events, errors, views, altered } = await walk(
      session,
      session.kind.isNeededToInspect?.(files) ?? (() => false),
    );
    const inspected = session.kind.inspect(session.state, events, files, errors);
    const kind = session.kind.name;
    const elsewhere = await session.log.differences();
    const lost = await lostSinceReport(session);
    const { changed, marks } = await logTrust(session);
    const rewritten = await changedReport(session, () => reportNow(session));
    const kept = [...(lost === undefined ? [] : [`${lost}; ${toFind}`]), ...rewritten];
    const { sharedLog } = session.kind;
    // To the originals that share a log it is valid all the same: they look at no chain.
    const unkept = [...(sharedLog ? changed : []), ...(inspected.unkept ?? [])];
    const found = {
      id,
      kind,
      ...inspected,
      unkept: unkept.filter((text) => !inspected.errors.includes(text)),
      marks: [...(session.kind.marks?.(session.state) ?? []), ...marks],
      errors: [
        ...elsewhere,
        ...placeFaults(session),
        ...(sharedLog ? [] : changed),
        ...inspected.errors,
      ],
      warnings: [...inspected.warnings, ...kept],
    };
    // What others take for the truth beside the log, the protocol itself compares with it.
    if (session.kind.sharedLog) return found;
    await readSession(place);
    const derived = derivedFaults(session, views, mail);
    return { ...found, warnings: [...found.warnings, ...derived, ...altered] };
  } catch (cause) {
    return unreadable(place, cause);
  }
}

/** A session that cannot be replayed, and why. */
async function unreadable({ id, folder }: Place, cause: unknown): Promise<Validation> {
  if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
  const lines = await new FileEventLog(folder).damage().catch(() => []);
  const errors = lines.length > 0 ? lines : [cause.message];
  const kind = await kindNamed(kindWithoutLog(folder));
  if (kind === undefined) return { id, errors, warnings: [] };
  const way = lines.length > 0 ? (kind.traits.damagedLog ?? []) : [];
  return { id, kind: kind.name, errors: errors.concat(way), warnings: [] };
}

/** What `report` would write; "" where it would enter what it notices. */
async function reportNow({ place, kind }: Session): Promise<string> {
  if (kind.notice !== undefined) return "";
  const [{ readReport }, { reportText }] = await Promise.all([
    import("./make-report.ts"),
    import("./text/report-text.ts"),
  ]);
  return reportText(await readReport(place, place.folder, systemClock), { validate: "" });
}

const toFind = "put a copy of the log back, or move that report away to go on with what is left";

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
  const damage = session.kind.sharedLog ? await session.log.damage() : [];
  let uncompared = 0;
  for await (const step of replay(session, (lines) => add(faults, lines))) {
    const { before, after, event } = step;
    add(broken, before.kind.audit(before.state, event), `seq ${event.seq}: `);
    if (session.kind.sharedLog) {
      if (!isInspected(event)) continue;
      if (events.length < limits.inspectedEvents) events.push(event);
      else uncompared += 1;
    } else {
      for (const view of after.kind.views(after.state, event))
        views.set(pathOf(session.place, view), view);
      add(altered, (await alteredCopies(session, step)).map(alteredText));
    }
  }
  // A torn last line is nothing to our readers, but stops a colleague's.
  const errors = [...faults, ...damage, ...broken];
  if (uncompared > 0) {
    const reason = `documents were compared with ${limits.inspectedEvents} events`;
    errors.push(
      `${reason}, and ${uncompared} came behind them: the log is longer than is looked at`,
    );
  }
  return { events, errors, views, altered };
}

/** One more than is told: that there are more is seen. */
function add(known: string[], lines: readonly string[], before = ""): void {
  for (const line of lines) if (known.length <= limits.faultsTold) known.push(`${before}${line}`);
}

function pathOf(place: Place, view: View): string {
  return [...folderOfView(place, view), view.name].join("/");
}

/** Views, deliveries and the log itself, compared with each other. */
function derivedFaults(session: Session, views: Walk["views"], mail: DeliveredMail): string[] {
  return [
    ...[...views.values()].flatMap((view) => staleText(session.place, view)),
    ...undelivered(session),
    ...beyondLog(session, mail),
  ];
}

function staleText(place: Place, view: View): string[] {
  const fault = viewFault(place, view);
  return fault === undefined ? [] : [`${fault}; validate --repair writes it anew`];
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
