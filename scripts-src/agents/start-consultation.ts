import type { Clock } from "../app/foreign-mail.ts";
import { loadSession, type Session } from "../app/session.ts";
import type { Workspace } from "../app/workspace.ts";
import type { Mode } from "../core/dialogue/config.ts";
import { ConsultaError } from "../core/errors.ts";
import { parseSessionId } from "../core/names.ts";
import { askQuestion, parseQuestion } from "./ask-question.ts";
import type { Driver } from "./driver.ts";
import { type DriverPlace, makeDrivers } from "./make-drivers.ts";
import {
  type ParticipantSpec,
  parseParticipants,
  rehearsalParticipants,
  specsForSession,
  usualParticipants,
} from "./participants.ts";

/** What the user asked for: a question to open a session with, or a session to go on in. */
export interface ConsultationRequest {
  readonly question: string | undefined;
  readonly session: string | undefined;
  readonly participants: string | undefined;
  readonly rehearse: boolean;
  readonly mode: Mode | undefined;
}

/** Where the workspace comes from: a question may make one, a session is in one. */
export interface WorkspaceSource {
  made(): Promise<Workspace>;
  found(): Workspace;
}

/** A session with all that runs its participants. */
export interface Consultation {
  readonly session: Session;
  readonly specs: readonly ParticipantSpec[];
  readonly drivers: ReadonlyMap<string, Driver>;
}

/**
 * Opens a session for the question, or takes up the given one. Everything that can be refused is
 * looked at before anything is written.
 * @throws ConsultaError REFUSED for wrong input, UNAVAILABLE when a CLI is not installed.
 */
export function startConsultation(
  request: ConsultationRequest,
  source: WorkspaceSource,
  place: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { question, session } = request;
  if (question !== undefined && session !== undefined) {
    throw new ConsultaError(
      "REFUSED",
      "a question and --session came; leave out --session to ask anew, or the question to go on",
    );
  }
  if (session !== undefined) return takeUp(parseSessionId(session), request, source, place);
  if (question !== undefined) return open(question, request, source, place, clock);
  throw new ConsultaError(
    "REFUSED",
    'consult needs a question, such as consult "SQLite or files?"; or --session ID to go on in a ' +
      "session; add --rehearse to see it work without any account",
  );
}

async function open(
  text: string,
  { participants, rehearse, mode }: ConsultationRequest,
  source: WorkspaceSource,
  place: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const question = parseQuestion(text);
  const usual = rehearse ? rehearsalParticipants : usualParticipants;
  const specs = parseParticipants(participants ?? usual, rehearse);
  const drivers = makeDrivers(specs, place);
  const names = specs.map(({ name }) => name);
  const session = await askQuestion(await source.made(), question, names, mode, clock);
  return { session, specs, drivers };
}

async function takeUp(
  id: string,
  { participants, rehearse, mode }: ConsultationRequest,
  source: WorkspaceSource,
  place: DriverPlace,
): Promise<Consultation> {
  if (mode !== undefined) {
    throw new ConsultaError("REFUSED", `session ${id} has its mode already; leave out --mode`);
  }
  const session = await loadSession(source.found(), id);
  const standing = session.machine.standing();
  const given = participants === undefined ? undefined : parseParticipants(participants, rehearse);
  const specs = specsForSession(given, rehearse, id, standing.participants);
  // What has ended needs nobody to run it: only its report is wanted.
  return { session, specs, drivers: standing.ended ? new Map() : makeDrivers(specs, place) };
}
