import { type Machine, machineFor } from "../core/machine.ts";
import type { Delivery } from "../core/protocol.ts";
import type { Cursor } from "../store/event-log.ts";
import { deliver, isDelivered } from "./mailbox.ts";
import type { Session } from "./session.ts";
import { writeViews } from "./submit.ts";

/**
 * Puts into the inboxes what a crash kept from being delivered: messages that their recipients
 * have not answered and that are neither in the inbox nor in the archive. Reads the whole log,
 * which is right for what happens once in the life of a broken machine.
 */
export async function redeliver(
  session: Session,
  options?: { views: boolean },
): Promise<Delivery[]> {
  const { workspace, log, machine } = session;
  const { participants } = machine.standing();
  const unanswered = participants.flatMap((name) => machine.nextAction(name).received);
  const wanted = new Set(unanswered.map(({ to, file }) => `${to}/${file}`));
  const delivered: Delivery[] = [];
  for await (const { before, after, event } of replay(log)) {
    if (options?.views) writeViews(workspace, after, event);
    for (const { delivery, text } of after.deliveries(before, event)) {
      if (!wanted.has(`${delivery.to}/${delivery.file}`) || isDelivered(workspace, delivery))
        continue;
      deliver(workspace, delivery, text);
      delivered.push(delivery);
    }
  }
  return delivered;
}

/** The log from its beginning, each event with the machine before and after it. */
export async function* replay(log: Session["log"]) {
  let cursor: Cursor = log.start;
  let before: Machine | undefined;
  for (let more = true; more; ) {
    const page = await log.read(cursor);
    for (const event of page.events) {
      const from = before ?? machineFor(event);
      if (from === undefined) return;
      const after = from.evolve(event);
      yield { before: from, after, event };
      before = after;
    }
    ({ cursor, more } = page);
  }
}
