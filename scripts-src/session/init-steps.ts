import { refused } from "../base/errors.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import type { Arguments } from "../script/arguments.ts";
import { commandLine } from "../script/command-line.ts";
import type { Register } from "./kinds.ts";
import type { Place } from "./place.ts";
import { sessionNamed } from "./session-commands.ts";
import { configOf, defaultParticipant } from "./session-options.ts";
import { type ChosenStore, sharedStores } from "./shared-stores.ts";

/** What `init` does for every kind of session: who opened it, what comes next, where else it is kept. */

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
  return commandLine("next-action", { ...sessionNamed(args, place), participant });
}

/**
 * The store that the command line asks for, else the project's config: `files` is none.
 * @throws ConsultaError REFUSED where the user has not named the store that the config names.
 */
export async function storeAskedBy(args: Arguments): Promise<ChosenStore | undefined> {
  // A folder that is named may lie in no workspace.
  const isInWorkspace = args.one("folder") === undefined && args.positionals.length === 0;
  const asked = args.one("store") ?? (isInWorkspace ? configOf(args).store : "files");
  const stray = ["public", "signed"].find((name) => asked === "files" && args.has(name));
  if (stray !== undefined)
    throw refused(`--${stray} says how --store is used; give --store as well`);
  if (asked === "files") return undefined;
  return (await sharedStores()).choose(args, asked, args.has("store") ? "send" : "config");
}
