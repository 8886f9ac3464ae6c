import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import {
  checkCollaboration,
  hasProtocol,
  openCollaboration,
} from "../../collaboration/open-collaboration.ts";
import { gateOptions } from "../../collaboration/rules/opening.ts";
import { placeForNew } from "../../session/open-session.ts";
import { type Place, placeToMake } from "../../session/place.ts";
import type { ConsultKind } from "../consult-kind.ts";
import type { Consultation, ConsultationRequest, WorkspaceSource } from "../consultation.ts";
import { type DriverPlace, makeDrivers } from "../make-drivers.ts";
import { newParticipants } from "../participants.ts";
import { collaborationTurns } from "./collaboration-turns.ts";

/** A collaboration, as `consult` runs it. */
export const consultCollaboration: ConsultKind = {
  begin: beginCollaboration,
  turns: collaborationTurns,
};

const participantRange = {
  max: limits.collaborationParticipants,
  rule: `a collaboration has 2 to ${limits.collaborationParticipants} different participants, the proposal owner first`,
};

/**
 * Begins a collaboration on an objective.
 * @throws ConsultaError REFUSED, UNAVAILABLE as `startConsultation` does.
 */
async function beginCollaboration(
  objective: string,
  request: ConsultationRequest,
  source: WorkspaceSource,
  machine: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const fault = requestFault(objective, request);
  if (fault !== undefined) throw new ConsultaError("REFUSED", fault);
  const specs = newParticipants(request.participants, participantRange);
  const participants = specs.map(({ name }) => name);
  const raw = checkCollaboration({ ...request.terms, objective, participants }, clock.now());
  const drivers = await makeDrivers(specs, machine);
  const place = await placeFor(objective, request, source);
  const { session } = await openCollaboration(place, raw, clock.now());
  return { session, specs, drivers };
}

function requestFault(objective: string, request: ConsultationRequest): string | undefined {
  const { mode, terms, termsGiven } = request;
  if (objective === "") {
    return 'the objective is empty; name one: consult --kind collaboration "Agree on the sync API"';
  }
  if (objective.length > limits.itemCharacters) {
    const size = `the objective has ${objective.length} characters, the limit is ${limits.itemCharacters}`;
    return `${size}; shorten it and name the files to read by path`;
  }
  if (mode !== undefined) return "--mode belongs to a dialogue; leave it out of a collaboration";
  const stray = terms.primary ? undefined : termsGiven.find((option) => !gateOptions.has(option));
  if (stray !== undefined) return `${stray} needs --primary-deliverable-type`;
  return terms.gates.some((gate) => gate.trim() !== "") ? undefined : noGate;
}

/** Gates say when it is enough: that is the user's to say, so none is ever made up. */
const noGate =
  "a collaboration needs at least one --completion: a gate, one line that must be true at the end and " +
  'that anybody can check, such as --completion "Every error code is listed"; repeat it for more';

async function placeFor(
  objective: string,
  { folder }: ConsultationRequest,
  source: WorkspaceSource,
): Promise<Place> {
  if (folder === undefined)
    return placeForNew(await source.made(), undefined, objective, source.onFull);
  const place = placeToMake(folder);
  if (!hasProtocol(place)) return place;
  throw new ConsultaError(
    "REFUSED",
    `${folder} holds a collaboration already; leave out the objective to go on in it, or choose another folder`,
  );
}
