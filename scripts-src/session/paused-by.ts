import { whoPaused } from "./person-authorship.ts";
import type { Session } from "./session.ts";

/** Who has paused a session, as its `user` is called, or somebody else in their name; undefined where nobody has. */
export async function pausedBy(session: Session, user: string): Promise<string | undefined> {
  if (session.machine.person().pause === undefined) return undefined;
  return whoPaused(session, user);
}
