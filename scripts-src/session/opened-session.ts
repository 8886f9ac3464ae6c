import type { SessionStatus } from "../protocol/protocol.ts";
import type { Arguments } from "../script/arguments.ts";
import { commandLine } from "./command-line.ts";
import type { Register } from "./opener.ts";
import type { Place } from "./place.ts";
import { defaultParticipant } from "./session-options.ts";

/** Registers the CLI that opened a session, unless it opened the session for others. */
export async function registerOpener(
  place: Place,
  status: SessionStatus,
  register: Register,
): Promise<void> {
  const name = defaultParticipant();
  if (name !== undefined && status.participants.includes(name)) await register(place, name, status);
}

/** The command that goes on in a session that was opened. */
export function nextLine(args: Arguments, place: Place, participant: string | undefined): string {
  const folder = args.one("folder");
  const where =
    folder === undefined ? { workspace: args.one("workspace"), session: place.id } : { folder };
  return commandLine("next-action", { ...where, participant });
}
