import type { Session } from "./session.ts";
import { writeNewestViews } from "./submit.ts";

/**
 * Writes the views anew where a writer died between its event and them, and gives the session as it
 * then stands. Only where others take the views for the truth: elsewhere `validate --repair` does it.
 */
export async function mendViews(session: Session): Promise<Session> {
  const { kind, settings, machine } = session;
  if (!kind.sharedLog) return session;
  const isCurrent = machine.views(undefined).every(({ text }) => text === settings.text);
  return isCurrent ? session : writeNewestViews(session, undefined);
}
