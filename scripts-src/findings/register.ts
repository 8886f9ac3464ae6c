import type { Clock } from "../base/clock.ts";
import { refused } from "../base/errors.ts";
import { lstatSync } from "../files/disk.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";
import { openSession } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import { submit } from "../session/submit.ts";
import { markSeen } from "../session/waiting/presence.ts";
import type { BoardReader } from "./record-findings.ts";
import { parseAgentName } from "./rules/board-names.ts";
import { type BoardState, boardStateOf } from "./rules/state.ts";

export interface BoardRegistration {
  readonly board: BoardState;
  /** The agent's place in the order of registrations. */
  readonly place: number;
  /** Whether all others were ready already: nobody waits for this agent. */
  readonly late: boolean;
}

/**
 * Registers an agent on a board; each name once. The first registration sets the deadline.
 * @throws ConsultaError EXISTS when the name is taken, REFUSED when it is no valid name.
 */
export async function register(
  place: Place,
  agent: Pick<BoardReader, "name">,
  clock: Clock,
): Promise<BoardRegistration> {
  const name = parseAgentName(agent.name);
  const session = await openSession(place, { fetch: "must", changes: "enter", clock });
  requireRoom(place, name);
  markSeen(place, name, clock.now());
  const by = { participant: name, origin: "script" as const, fields: { event: "registered" } };
  const submitted = await submit(session, { ...by, at: clock.now(), id: clock.newId() });
  ensureFolder(place.folder, "findings", name);
  const board = boardStateOf(await openSession(submitted.session, { changes: "enter", clock }));
  const order = board.agents.findIndex((it) => it.name === name);
  return { board, place: order + 1, late: board.agents[order]?.late === true };
}

/** An agent whose folder for reports cannot be made must not be registered. */
function requireRoom({ folder }: Place, name: string): void {
  const own = safeJoin(folder, "findings", name);
  const found = lstatSync(own, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  throw refused(`${own} is not a folder: move it away, or take another name`);
}
