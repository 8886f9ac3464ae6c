import type { JsonValue } from "../core/json.ts";
import { attend } from "./attend.ts";
import type { Clock } from "./foreign-mail.ts";
import { take } from "./mailbox.ts";
import { type Submitted, submit } from "./submit.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Sends a message: completes, judges and appends it, delivers it, and takes the mail that it
 * answers. The same message again is recognised and not sent twice.
 * @throws ConsultaError REFUSED with the reason and the way out; nothing was written.
 */
export async function sendMessage(
  workspace: Workspace,
  id: string,
  participant: string,
  message: JsonValue,
  clock: Clock,
): Promise<Submitted> {
  const { session } = await attend(workspace, id, participant, clock);
  const submitted = await submit(session, {
    participant,
    origin: "script",
    message,
    at: clock.now(),
    id: clock.newId(),
  });
  const [before, after] = [submitted.before, submitted.session].map(({ machine }) =>
    machine.nextAction(participant).received.map(({ file }) => file),
  );
  take(workspace, participant, before?.filter((file) => !after?.includes(file)) ?? []);
  return submitted;
}
