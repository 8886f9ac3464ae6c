import { ConsultaError } from "../base/errors.ts";
import { durationText, millisecondsOf } from "../base/time.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import type { ChosenStore } from "../remote/choose-store.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { commandLine, givenPath } from "../script/command-line.ts";
import { printErrorLines } from "../script/output.ts";
import type { OnFull } from "./create-session.ts";
import type { Register } from "./opener.ts";
import type { Place } from "./place.ts";
import { invitation, storeFor } from "./requested-store.ts";
import { sessionNamed } from "./session-commands.ts";
import { configOf, defaultParticipant, projectOf } from "./session-options.ts";

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
    throw new ConsultaError("REFUSED", `--${stray} says how --store is used; give --store as well`);
  if (asked === "files") return undefined;
  return storeFor(args, asked, projectOf(args), args.has("store") ? "send" : "config");
}

/** How another machine comes into the session; nothing where it is kept here alone. */
export async function invitationTo(store: ChosenStore | undefined, id: string): Promise<string[]> {
  if (store === undefined) return [];
  return invitation(store, id);
}

/** Says for each open session since when nobody has acted in it, and the command that closes it. */
export function openSessionsPrinter(args: Arguments): OnFull {
  return (open) => {
    for (const { id, lastAt } of open) {
      const seconds = (millisecondsOf(systemClock.now()) - millisecondsOf(lastAt)) / 1_000;
      const age = Number.isNaN(seconds)
        ? ""
        : `, last event ${durationText(Math.round(seconds))} ago`;
      const why = { session: id, reason: "nobody goes on with it" };
      printErrorLines(
        `open: ${id}${age}; to end it: ${commandLine("close", { workspace: givenPath(args, "workspace"), ...why })}`,
      );
    }
  };
}
