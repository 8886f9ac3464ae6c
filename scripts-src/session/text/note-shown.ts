import { ConsultaError } from "../../base/errors.ts";
import { isUnheard } from "../../protocol/person-step.ts";
import type { Delivery } from "../../protocol/protocol.ts";
import { systemClock } from "../../script/clock.ts";
import { printErrorLines } from "../../script/output.ts";
import { noteDelivery } from "../append-with-retry.ts";
import type { NextAction } from "../next-action.ts";
import { openSession } from "../open.ts";
import { recordHeard } from "../person-log.ts";
import { placeIn } from "../place.ts";
import { sessionIds } from "../session.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * Notes that the messages of what `next-action` found are before the participant. Called after the
 * printing: a writer that dies in between has not shown them for certain, and shows them again.
 */
export function noteShown(
  { session, participant, letters }: NextAction,
  by: "next-action" | "wait-for-turn",
): Promise<void> {
  const shown = new Set(letters.map(({ delivery }) => delivery.seq));
  const note = async () => {
    const isShown = ({ seq }: Delivery) => shown.has(seq);
    const noted = await noteDelivery(session, participant, "in_turn", by, systemClock, isShown);
    if (isUnheard(noted.state.user, participant))
      await recordHeard(noted, participant, by, systemClock);
  };
  return tolerate(note());
}

/** Notes that files of a participant's inbox were announced to it; those of no session are nothing. */
export async function noteAnnounced(
  workspace: Workspace,
  participant: string,
  files: readonly string[],
): Promise<void> {
  for (const id of sessionIds(workspace)) {
    if (!files.some((file) => file.startsWith(`${id}-`))) continue;
    const isTold = ({ file }: Delivery) => files.includes(file);
    const rung = async () => {
      const session = await openSession(placeIn(workspace, id));
      await noteDelivery(session, participant, "rung", "follow", systemClock, isTold);
    };
    await tolerate(rung());
  }
}

/** A note is for the sender's information: that it cannot be written stops nobody. */
async function tolerate(note: Promise<unknown>): Promise<void> {
  try {
    await note;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    const reason = cause.message;
    printErrorLines(`warning: the peer is not told how far its message came: ${reason}`);
  }
}
