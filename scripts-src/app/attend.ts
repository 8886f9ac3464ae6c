import { ConsultaError } from "../core/errors.ts";
import { deliverMail } from "./deliver.ts";
import { type Clock, type Rejected, takeForeignMail } from "./foreign-mail.ts";
import { catchUp, loadSession, type Session } from "./session.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Loads a session for a participant after entering what foreign colleagues left in its inbox.
 * @throws ConsultaError REFUSED when the participant is not in the session.
 */
export async function attend(
  workspace: Workspace,
  id: string,
  participant: string,
  clock: Clock,
): Promise<{ session: Session; rejected: Rejected[] }> {
  const session = await loadSession(workspace, id);
  const { participants } = session.machine.standing();
  if (!participants.includes(participant)) {
    throw new ConsultaError(
      "REFUSED",
      `${participant} is not in session ${id}; its participants are ${participants.join(", ")}`,
    );
  }
  const { received } = session.machine.nextAction(participant);
  await deliverMail(session, received);
  const known = new Set(received.map(({ file }) => file));
  const entered = await takeForeignMail(workspace, participant, clock, known);
  if (entered === undefined) return { session, rejected: [] };
  return { session: (await catchUp(session)) ?? session, rejected: entered };
}
