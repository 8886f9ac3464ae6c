import type { Clock } from "../app/foreign-mail.ts";
import type { KindName } from "../app/kinds.ts";
import { type Place, placeAt, placeIn } from "../app/place.ts";
import { loadSession, type Session } from "../app/session.ts";
import type { Workspace } from "../app/workspace.ts";
import type { Mode } from "../core/config.ts";
import { ConsultaError } from "../core/errors.ts";
import { parseSessionId } from "../core/names.ts";
import { askQuestion, parseQuestion } from "./ask-question.ts";
import { beginCollaboration, type CollaborationTerms } from "./begin-collaboration.ts";
import type { Driver } from "./driver.ts";
import { type DriverPlace, makeDrivers } from "./make-drivers.ts";
import {
  type ParticipantSpec,
  parseParticipants,
  requireTwo,
  specsForSession,
  usualParticipants,
} from "./participants.ts";

/** What the user asked for: a question to open a session with, or a session to go on in. */
export interface ConsultationRequest {
  readonly question: string | undefined;
  readonly session: string | undefined;
  /** Where a collaboration lies, or shall lie. */
  readonly folder: string | undefined;
  readonly kind: KindName | undefined;
  readonly participants: string | undefined;
  readonly rehearse: boolean;
  readonly mode: Mode | undefined;
  readonly terms: CollaborationTerms;
  /** The options of `terms` that came, as they are written. */
  readonly termsGiven: readonly string[];
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

const rehearsalParticipants = "ada=rehearsal,bob=rehearsal";

/**
 * Opens a session for the question, or takes up the given one. Everything that can be refused is
 * looked at before anything is written.
 * @throws ConsultaError REFUSED for wrong input, UNAVAILABLE when a CLI is not installed.
 */
export async function startConsultation(
  request: ConsultationRequest,
  source: WorkspaceSource,
  place: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { question, session, folder, kind } = request;
  if (session !== undefined && question !== undefined) {
    throw new ConsultaError(
      "REFUSED",
      "a question and --session came; leave out --session to ask anew, or the question to go on",
    );
  }
  if (session !== undefined && folder !== undefined) {
    throw new ConsultaError("REFUSED", "--folder and --session came; either one names a session");
  }
  if (session !== undefined) {
    return takeUp(placeIn(source.found(), parseSessionId(session)), request, place);
  }
  if (question === undefined && folder !== undefined)
    return takeUp(placeAt(folder), request, place);
  if (question === undefined) {
    throw new ConsultaError(
      "REFUSED",
      'consult needs a question, such as consult "SQLite or files?"; or --session ID or --folder DIR ' +
        "to go on in a session; add --rehearse to see it work without any account",
    );
  }
  const begin = kind === "collaboration" ? beginCollaboration : openDialogue;
  return begin(question, request, source, place, clock);
}

async function openDialogue(
  text: string,
  request: ConsultationRequest,
  source: WorkspaceSource,
  place: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { participants, rehearse, mode, folder, termsGiven } = request;
  const [stray] = [...(folder === undefined ? [] : ["--folder"]), ...termsGiven];
  if (stray !== undefined) {
    throw new ConsultaError(
      "REFUSED",
      `${stray} belongs to a collaboration; add --kind collaboration, or leave it out to ask two colleagues`,
    );
  }
  const question = parseQuestion(text);
  const usual = rehearse ? rehearsalParticipants : usualParticipants;
  const specs = parseParticipants(participants ?? usual, rehearse);
  requireTwo(specs);
  const drivers = makeDrivers(specs, place);
  const names = specs.map(({ name }) => name);
  const session = await askQuestion(await source.made(), question, names, mode, clock);
  return { session, specs, drivers };
}

async function takeUp(
  at: Place,
  request: ConsultationRequest,
  place: DriverPlace,
): Promise<Consultation> {
  const { participants, rehearse, mode, kind, termsGiven } = request;
  if (mode !== undefined) {
    throw new ConsultaError("REFUSED", `session ${at.id} has its mode already; leave out --mode`);
  }
  const [stray] = termsGiven;
  if (stray !== undefined) {
    throw new ConsultaError(
      "REFUSED",
      `session ${at.id} has its gates and deliverables already; leave out ${stray}`,
    );
  }
  const session = await loadSession(at);
  if (kind !== undefined && kind !== session.kind.name) {
    throw new ConsultaError(
      "REFUSED",
      `session ${at.id} is a ${session.kind.name}; leave out --kind ${kind}`,
    );
  }
  const standing = session.machine.standing();
  const specs = specsForSession(participants, rehearse, at.id, standing.participants);
  // What has ended needs nobody to run it: only its report is wanted.
  return { session, specs, drivers: standing.ended ? new Map() : makeDrivers(specs, place) };
}
