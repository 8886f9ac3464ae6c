import { lstatSync } from "node:fs";
import { ConsultaError } from "../core/errors.ts";
import { parseAgentName } from "../core/findings/board-names.ts";
import { type BoardState, boardStateOf } from "../core/findings/state.ts";
import { ensureFolder, safeJoin } from "../store/safe-path.ts";
import { attendBoard } from "./attend-board.ts";
import type { Clock } from "./foreign-mail.ts";
import { noticeChanges } from "./notice-changes.ts";
import type { Place } from "./place.ts";
import { markSeen } from "./presence.ts";
import { submit } from "./submit.ts";

export interface Registered {
  readonly board: BoardState;
  /** The agent's place in the order of registrations. */
  readonly place: number;
}

/**
 * Registers an agent on a board; a name is given once. The first registration sets the deadline.
 * @throws ConsultaError EXISTS when the name is taken, REFUSED for one that is none.
 */
export async function register(place: Place, agent: string, clock: Clock): Promise<Registered> {
  const name = parseAgentName(agent);
  const session = await attendBoard(place, clock);
  requireRoom(place, name);
  markSeen(place, name, clock.now());
  const by = { participant: name, origin: "script" as const, fields: { event: "registered" } };
  const registered = await submit(session, { ...by, at: clock.now(), id: clock.newId() });
  ensureFolder(place.folder, "findings", name);
  const board = boardStateOf((await noticeChanges(registered.session, clock)).machine);
  return { board, place: board.agents.findIndex((it) => it.name === name) + 1 };
}

/** Whoever has no room for reports must not be registered first. */
function requireRoom({ folder }: Place, name: string): void {
  const own = safeJoin(folder, "findings", name);
  const found = lstatSync(own, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  throw new ConsultaError("REFUSED", `${own} is not a folder: move it away, or take another name`);
}
