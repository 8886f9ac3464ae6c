import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import { findSecret } from "../base/secrets.ts";
import { cliNames } from "../clis/read-drivers.ts";
import { consultKindOf } from "../session/kinds.ts";
import { type Place, placeAt, placeIn } from "../session/place.ts";
import { loadSession } from "../session/session.ts";
import { listOpen } from "../session/session-list.ts";
import type { Consultation, ConsultationRequest, WorkspaceSource } from "./consultation.ts";
import { type DriverPlace, makeDrivers } from "./make-drivers.ts";
import { specsForSession } from "./participants.ts";

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
        "to go on in a session",
    );
  }
  const { begin } = await consultKindOf(kind ?? "dialogue");
  return begin(question.replace(/\r\n?/g, "\n").trim(), request, source, place, clock);
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

async function takeUp(
  at: Place,
  request: ConsultationRequest,
  place: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { participants, kind, termsGiven } = request;
  const session = await loadSession(at);
  const { name: itsKind } = session.kind;
  if (kind !== undefined && kind !== itsKind) {
    const { called } = session.kind.traits;
    throw new ConsultaError("REFUSED", `session ${at.id} is ${called}; leave out --kind ${kind}`);
  }
  const { resume } = await consultKindOf(itsKind);
  if (resume !== undefined) return resume(session, request, place, clock);
  refuseFixed(request, at);
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
  const clis = participants === undefined ? await cliNames(place.environment) : new Set<string>();
  const specs = specsForSession(participants, at, standing.participants, clis);
  return { session, specs, drivers: await makeDrivers(specs, place) };
}

/** What an open session was begun with stays. */
function refuseFixed({ mode, require }: ConsultationRequest, { id }: Place): void {
  const [what, option] =
    mode === undefined ? ["what it requires", "--require"] : ["its mode", "--mode"];
  if ((mode ?? require) === undefined) return;
  throw new ConsultaError("REFUSED", `session ${id} has ${what} already; leave out ${option}`);
}

/** The question goes to every participant's vendor. */
function refuseSecret(question: string | undefined): void {
  const secret = findSecret(question ?? "");
  if (secret === undefined) return;
  const way = "leave it out: participants send the question to their vendors";
  throw new ConsultaError("REFUSED", `the question looks as if it holds ${secret}; ${way}`);
}
