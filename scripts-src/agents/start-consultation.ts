import type { Clock } from "../app/foreign-mail.ts";
import type { KindName } from "../app/kinds.ts";
import type { OnFull } from "../app/open-session.ts";
import { type Place, placeAt, placeIn } from "../app/place.ts";
import { loadSession, type Session } from "../app/session.ts";
import { listOpen } from "../app/session-list.ts";
import type { Workspace } from "../app/workspace.ts";
import { findSecret } from "../core/brain/secrets.ts";
import type { Mode } from "../core/config.ts";
import { ConsultaError } from "../core/errors.ts";
import { parseSessionId } from "../core/names.ts";
import { askQuestion, parseQuestion } from "./ask-question.ts";
import { beginCollaboration, type CollaborationTerms } from "./begin-collaboration.ts";
import { beginFindings } from "./begin-findings.ts";
import type { Driver } from "./driver.ts";
import { type DriverPlace, makeDrivers } from "./make-drivers.ts";
import {
  type ParticipantSpec,
  parseParticipants,
  requireTwo,
  specsForSession,
  usualParticipants,
} from "./participants.ts";
import { cliNames } from "./read-drivers.ts";
import { takeUpFindings } from "./take-up-findings.ts";

/** What the user asked for: a question to open a session with, or a session to go on in. */
export interface ConsultationRequest {
  readonly question: string | undefined;
  readonly session: string | undefined;
  /** Go on in the open session in which somebody acted last. */
  readonly resume: boolean;
  /** Where a collaboration or a board lies, or shall lie. */
  readonly folder: string | undefined;
  readonly kind: KindName | undefined;
  readonly participants: string | undefined;
  readonly rehearse: boolean;
  readonly mode: Mode | undefined;
  readonly terms: CollaborationTerms;
  /** The options of `terms` that came, as they are written. */
  readonly termsGiven: readonly string[];
  /** How long the run may take. */
  readonly timeLimitMs: number;
}

/** Where the workspace comes from: a question may make one, a session is in one. */
export interface WorkspaceSource {
  made(): Promise<Workspace>;
  found(): Workspace;
  readonly onFull: OnFull;
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
  const { question, session, folder, kind, resume } = request;
  if (resume) return takeUp(await latestOpen(source, request), request, place, clock);
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
    return takeUp(placeIn(source.found(), parseSessionId(session)), request, place, clock);
  }
  refuseSecret(question);
  if (question === undefined && folder !== undefined)
    return takeUp(placeAt(folder), request, place, clock);
  if (question === undefined) {
    throw new ConsultaError(
      "REFUSED",
      'consult needs a question, such as consult "SQLite or files?"; or --resume, --session ID or --folder DIR ' +
        "to go on in a session; add --rehearse to see it work without any account",
    );
  }
  return begin[kind ?? "dialogue"](question, request, source, place, clock);
}

/** @throws ConsultaError REFUSED where no session is open, or another option names one. */
async function latestOpen(
  source: WorkspaceSource,
  { question, session, folder }: ConsultationRequest,
): Promise<Place> {
  if ((question ?? session ?? folder) !== undefined) {
    throw new ConsultaError(
      "REFUSED",
      "--resume goes on in the last open session; leave out the question, --session and --folder, or --resume",
    );
  }
  const workspace = source.found();
  const open = (await listOpen(workspace)).flatMap((it) =>
    "standing" in it && !it.standing.ended && it.standing.hasTurns ? [it.standing] : [],
  );
  const [latest] = open.sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1));
  if (latest !== undefined) return placeIn(workspace, latest.id);
  throw new ConsultaError("REFUSED", `no session is open in ${workspace.root}; ask a question`);
}

const begin = {
  dialogue: openDialogue,
  collaboration: beginCollaboration,
  findings: beginFindings,
};

async function openDialogue(
  text: string,
  request: ConsultationRequest,
  source: WorkspaceSource,
  place: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { participants, rehearse, mode, folder, termsGiven } = request;
  const [stray] = termsGiven;
  if (folder !== undefined) throw notOfDialogues("--folder", "collaboration", "findings");
  if (stray !== undefined) throw notOfDialogues(stray, "collaboration");
  const question = parseQuestion(text);
  const usual = rehearse ? rehearsalParticipants : usualParticipants;
  const specs = parseParticipants(participants ?? usual, rehearse);
  requireTwo(specs);
  const drivers = await makeDrivers(specs, place);
  const names = specs.map(({ name }) => name);
  const session = await askQuestion(
    await source.made(),
    { ...question, participants: names, mode, onFull: source.onFull },
    clock,
  );
  return { session, specs, drivers };
}

function notOfDialogues(option: string, ...kinds: readonly KindName[]): ConsultaError {
  const flags = kinds.map((kind) => `--kind ${kind}`).join(" or ");
  return new ConsultaError(
    "REFUSED",
    `${option} belongs to ${flags}; add that, or leave ${option} out to ask two colleagues`,
  );
}

async function takeUp(
  at: Place,
  request: ConsultationRequest,
  place: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { participants, rehearse, mode, kind, termsGiven } = request;
  const session = await loadSession(at);
  const { name: itsKind } = session.kind;
  if (kind !== undefined && kind !== itsKind) {
    const what = itsKind === "findings" ? "a board of findings" : `a ${itsKind}`;
    throw new ConsultaError("REFUSED", `session ${at.id} is ${what}; leave out --kind ${kind}`);
  }
  if (itsKind === "findings") return takeUpFindings(session, request, place, clock);
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
  const standing = session.machine.standing();
  // What has ended needs nobody to run it: only its report is wanted.
  if (standing.ended) return { session, specs: [], drivers: new Map() };
  const usual = participants === undefined && !rehearse;
  const clis = usual ? await cliNames(place.environment) : new Set<string>();
  const specs = specsForSession(participants, rehearse, at.id, standing.participants, clis);
  return { session, specs, drivers: await makeDrivers(specs, place) };
}

/** The question goes to every participant's vendor. */
function refuseSecret(question: string | undefined): void {
  const secret = findSecret(question ?? "");
  if (secret === undefined) return;
  const way = "leave it out: participants send the question to their vendors";
  throw new ConsultaError("REFUSED", `the question looks as if it holds ${secret}; ${way}`);
}
