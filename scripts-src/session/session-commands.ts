import type { Move, SessionStatus } from "../protocol/protocol.ts";
import { type Arguments, type OptionSpec, wholeNumberOf } from "../script/arguments.ts";
import {
  commandLine,
  givenPath,
  type Reader,
  readerHere,
  type Word,
} from "../script/command-line.ts";
import type { Place } from "./place.ts";
import { draftFile } from "./text/draft-files.ts";
import type { Commands } from "./text/next-action-text.ts";

/** Shells of AI CLIs end a command that is silent for 300 seconds: longer waits come in portions. */
const shellSeconds = 240;

type Options = Readonly<Record<string, Word | undefined>>;

/** What names a session in a command line: as the running script had it named. */
export function sessionNamed(args: Arguments, { id, folder, workspace }: Place): Options {
  const named = args.one("folder") ?? (workspace === undefined ? folder : undefined);
  if (named !== undefined) return { folder: { path: named } };
  return { workspace: givenPath(args, "workspace"), session: id };
}

/** The same, as it can be named in any folder. */
export function sessionAt({ id, folder, workspace }: Place): Options {
  if (workspace === undefined) return { folder: { path: folder } };
  return { workspace: { path: workspace.project }, session: id };
}

/** The command that runs another script on a session, which a command line named or led to. */
export function lineFor(args: Arguments, script: string, place: Place): string {
  return commandLine(script, sessionNamed(args, place));
}

/** The commands that check a session; only a dialogue rests on records that can be made again. */
export function checkCommands(args: Arguments, place: Place, kind: string) {
  const validate = lineFor(args, "validate", place);
  if (kind !== "dialogue") return { validate };
  const where = inWorkspace(sessionNamed(args, place), place);
  return { validate, replay: `${commandLine("check", where)} --replay` };
}

/** What a participant can run next in its session. */
export function commandsFor(
  args: Arguments,
  place: Place,
  participant: string,
  standing: SessionStatus,
): Commands {
  return commandsAt(sessionNamed(args, place), place, participant, standing, readerHere());
}

export function commandsAt(
  where: Options,
  place: Place,
  participant: string,
  { waitSeconds }: SessionStatus,
  reader: Reader,
): Commands {
  const seconds = waitSeconds ?? place.config.message_timeout_seconds;
  const portion = seconds > 0 && seconds <= shellSeconds ? {} : { timeout: String(shellSeconds) };
  const line = (script: string, options: Options, words?: readonly Word[]) =>
    commandLine(script, options, words, reader);
  const draft = (move: Move) => draftFile(place, participant, move);
  return {
    run(move, file = draft(move)) {
      const { script } = move;
      const options = withFile(move, file);
      if (script === undefined) return line("append-event", { ...where, participant, ...options });
      return line(script.name, options, [
        where["folder"] ?? { path: place.folder },
        participant,
        ...script.words,
      ]);
    },
    draft(move) {
      const file = draft(move);
      // Who writes it stays where it is.
      return file === undefined || reader.goTo !== undefined ? file : reader.pathOf(file);
    },
    check(claim) {
      const own = { ...inWorkspace(where, place), participant };
      if (claim === "") return line("check", { ...own, find: "<words to look for>" }, ["."]);
      return line("check", { ...own, claim });
    },
    headless: line("consult", where),
    wait: line("wait-for-turn", { ...where, participant, ...portion }),
    report: line("report", where),
    reportOf: (other) => line("report", alike(where, other)),
  };
}

/** What names another session where this one is named so. */
function alike(where: Options, { id, folder, workspace }: Place): Options {
  const byFolder = where["folder"] !== undefined || workspace === undefined;
  return byFolder ? { folder: { path: folder } } : { ...where, session: id };
}

/** For a script that takes no folder. */
function inWorkspace(where: Options, place: Place): Options {
  return where["folder"] === undefined ? where : sessionAt(place);
}

/** The options with the draft's file where they have `-` for it. */
function withFile({ options }: Move, file = "-"): Options {
  const entries = Object.entries(options);
  const given = file === "-" ? file : { path: file };
  return Object.fromEntries(entries.map(([name, it]) => [name, it === "-" ? given : it]));
}

/** A CLI ends the run of an agent that types the same line too often: each line to wait on differs. */
export const attemptOption: OptionSpec = {
  flags: "--again <n>",
  text: "which try this is; the line to wait on with counts up, nothing else depends on it",
};

/**
 * The value of `--again` for the next try.
 * @throws ConsultaError REFUSED when this one is no count.
 */
export function nextAttempt(args: Arguments): string {
  return String((wholeNumberOf(args, "again") ?? 1) + 1);
}

/** The line of `wait-for-turn` that waits on when the time of this one is up. */
export function retryLine(args: Arguments, participant: string): string {
  const options = {
    session: args.one("session"),
    folder: givenPath(args, "folder"),
    workspace: givenPath(args, "workspace"),
    timeout: args.one("timeout"),
    interval: args.one("interval"),
  };
  const flags = args.has("follow") ? ["--follow"] : [];
  return commandLine("wait-for-turn", { ...options, participant, again: nextAttempt(args) }, flags);
}
