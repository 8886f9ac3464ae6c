import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { lstatSync } from "../files/disk.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";
import { importChanges } from "../session/import-changes.ts";
import { openToAct } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import { loadSession, type Session } from "../session/session.ts";
import { finishStagedWrites } from "../session/staged-writes.ts";
import { submit } from "../session/submit.ts";
import { markSeen } from "../session/waiting/presence.ts";
import { type BoardReader, recordOthers } from "./open-board-for.ts";
import { noteUntold, takeUntold } from "./pending-registration.ts";
import { parseAgentName } from "./rules/board-names.ts";
import { agentOf, type BoardState, boardStateOf } from "./rules/state.ts";

export interface BoardRegistration {
  readonly board: BoardState;
  /** The agent's place in the order of registrations. */
  readonly place: number;
  /** Whether all others were ready already: nobody waits for this agent. */
  readonly late: boolean;
  /** To be called once the answer is printed: until then a repeated call may take the name over. */
  readonly told: () => void;
}

/**
 * Registers an agent on a board; each name once. The first registration sets the deadline. When an
 * earlier process registered the name and died before it answered, this call answers in its place.
 * @throws ConsultaError EXISTS when the name is taken, REFUSED when it is no valid name.
 */
export async function register(
  place: Place,
  agent: BoardReader,
  clock: Clock,
): Promise<BoardRegistration> {
  const name = parseAgentName(agent.name);
  const session = await openToAct(place, clock, { isAppending: true });
  requireRoom(place, name);
  markSeen(place, name, clock.now());
  const { registered, untold } = await submitRegistration(session, name, clock);
  ensureFolder(place.folder, "findings", name);
  const board = boardStateOf((await importChanges(registered, clock)).machine);
  const order = board.agents.findIndex((it) => it.name === name);
  const late = board.agents[order]?.late === true;
  await recordOthers(place, agent, clock);
  return { board, place: order + 1, late, told: () => untold.told() };
}

async function submitRegistration(session: Session, name: string, clock: Clock) {
  const by = { participant: name, origin: "script" as const, fields: { event: "registered" } };
  const id = clock.newId();
  const untold = noteUntold(session.place, name, id);
  try {
    const { session: registered } = await submit(session, { ...by, at: clock.now(), id });
    return { registered, untold };
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code === "UNAVAILABLE") throw cause;
    untold.discard();
    if (cause.code !== "EXISTS") throw cause;
    const unanswered = await takeUnanswered(session.place, name);
    if (unanswered === undefined) throw cause;
    return unanswered;
  }
}

/** Takes over the registration of a process that died before it answered; undefined when there is none. */
async function takeUnanswered(place: Place, name: string) {
  const registered = await loadSession(place);
  await finishStagedWrites(registered);
  const agent = agentOf(boardStateOf(registered.machine), name);
  // An agent that has posted or is ready was answered.
  if (agent === undefined || agent.ready || agent.lastNumber > 0) return undefined;
  const id = await idOfRegistration(registered, name);
  const untold = id === undefined ? undefined : takeUntold(place, name, id);
  return untold && { registered, untold };
}

async function idOfRegistration({ log }: Session, name: string): Promise<string | undefined> {
  for (let cursor = log.start, more = true; more; ) {
    const page = await log.read(cursor);
    const event = page.events.find((it) => it.event === "registered" && it.from === name);
    if (event !== undefined) return typeof event["id"] === "string" ? event["id"] : undefined;
    ({ cursor, more } = page);
  }
  return undefined;
}

/** An agent whose folder for reports cannot be made must not be registered. */
function requireRoom({ folder }: Place, name: string): void {
  const own = safeJoin(folder, "findings", name);
  const found = lstatSync(own, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  throw new ConsultaError("REFUSED", `${own} is not a folder: move it away, or take another name`);
}
