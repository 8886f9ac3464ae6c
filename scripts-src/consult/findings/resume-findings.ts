import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import { cliNames } from "../../clis/read-drivers.ts";
import { register } from "../../findings/register.ts";
import { parseAgentName } from "../../findings/rules/board-names.ts";
import { agentOf, type BoardState, boardStateOf, isAllReady } from "../../findings/rules/state.ts";
import { openToAct } from "../../session/open-for-participant.ts";
import type { Place } from "../../session/place.ts";
import { loadSession, type Session } from "../../session/session.ts";
import type { Consultation, ConsultationRequest } from "../consultation.ts";
import { type DriverPlace, makeDrivers } from "../make-drivers.ts";
import { type ParticipantSpec, parseParticipants, sayWhoRuns } from "../participants.ts";
import { optionFault } from "./begin-findings.ts";

/**
 * Continues a board: runs the agents that are named, by default all that are not ready, and registers
 * the new ones among them. Another process may run the others.
 * @throws ConsultaError REFUSED, UNAVAILABLE as `startConsultation` does.
 */
export async function resumeFindings(
  known: Session,
  request: ConsultationRequest,
  machine: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { participants } = request;
  const fault = optionFault(request);
  if (fault !== undefined) throw new ConsultaError("REFUSED", fault);
  const session = await openToAct(known.place, clock, { known });
  const board = boardStateOf(session.machine);
  // A complete board needs no agents: only its report is wanted.
  if (isAllReady(board)) return { session, specs: [], drivers: new Map() };
  const { place } = session;
  const specs =
    participants === undefined
      ? await defaultSpecs(board, place, machine)
      : checkSpecs(parseParticipants(participants), board, place.id);
  const drivers = await makeDrivers(specs, machine);
  for (const name of drivers.keys()) {
    if (agentOf(board, name) === undefined)
      await register(place, { name, project: place.workspace?.project ?? process.cwd() }, clock);
  }
  return { session: await loadSession(place), specs, drivers };
}

/** All agents that are not ready, each run by the CLI of its name. */
async function defaultSpecs(
  board: BoardState,
  place: Place,
  { environment }: DriverPlace,
): Promise<ParticipantSpec[]> {
  const notReady = board.agents.filter(({ ready }) => !ready).map(({ name }) => name);
  const drivers = await cliNames(environment);
  const haveDrivers = notReady.every((name) => drivers.has(name));
  if (notReady.length > 0 && haveDrivers) {
    return notReady.map((name) => ({ name, driver: name }));
  }
  const who = notReady.length > 0 ? notReady.join(" and ") : "agents that have not registered";
  const way = sayWhoRuns(notReady.length > 0 ? notReady : ["NAME"], place);
  throw new ConsultaError("REFUSED", `board ${place.id} waits for ${who}; ${way}`);
}

function checkSpecs(
  specs: readonly ParticipantSpec[],
  board: BoardState,
  id: string,
): readonly ParticipantSpec[] {
  const names = specs.map(({ name }) => parseAgentName(name));
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) {
    throw new ConsultaError("REFUSED", `${twin} came twice in --participants; name it once`);
  }
  const { agents, settings } = board;
  const fresh = names.filter((name) => agentOf(board, name) === undefined);
  if (fresh.length === 0 || agents.length + fresh.length <= settings.expectedAgents) return specs;
  throw new ConsultaError(
    "REFUSED",
    `board ${id} is for ${settings.expectedAgents} agents and has ${agents.map(({ name }) => name).join(", ")}: ` +
      `there is no place for ${fresh.join(", ")}`,
  );
}
