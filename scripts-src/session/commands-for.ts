import type { Move, SessionStatus } from "../protocol/protocol.ts";
import type { Arguments } from "../script/arguments.ts";
import { commandLine, type PathWriter, pathFromHere } from "./command-line.ts";
import type { Place } from "./place.ts";
import { draftFile } from "./text/draft-files.ts";
import type { Commands } from "./text/next-action-text.ts";

/** Shells of AI CLIs end a command that is silent for 300 seconds: longer waits come in portions. */
const shellSeconds = 240;

/** What a participant can run next in its session, named as the running script had it named. */
export function commandsFor(
  args: Arguments,
  place: Place,
  participant: string,
  standing: SessionStatus,
): Commands {
  const folder = args.one("folder");
  const where =
    folder === undefined ? { workspace: args.one("workspace"), session: place.id } : { folder };
  return commandsAt(where, place, participant, standing, pathFromHere);
}

export function commandsAt(
  where: Record<string, string | undefined>,
  place: Place,
  participant: string,
  { waitSeconds }: SessionStatus,
  pathOf: PathWriter,
): Commands {
  const seconds = waitSeconds ?? place.config.message_timeout_seconds;
  const portion = seconds > 0 && seconds <= shellSeconds ? {} : { timeout: String(shellSeconds) };
  const draft = (move: Move) => {
    const file = draftFile(place, participant, move);
    return file === undefined ? undefined : pathOf(file);
  };
  return {
    run(move, file = draft(move)) {
      const { script } = move;
      const options = withFile(move, file);
      if (script === undefined) {
        return commandLine("append-event", { ...where, participant, ...options }, [], pathOf);
      }
      const words = [where["folder"] ?? place.folder, participant, ...script.words];
      return commandLine(script.name, options, words, pathOf);
    },
    draft,
    check(claim) {
      const own = { workspace: where["workspace"], session: place.id, participant };
      const wanted = claim === "" ? { find: "<words to look for>" } : { claim };
      return commandLine("check", { ...own, ...wanted }, claim === "" ? ["."] : [], pathOf);
    },
    headless: commandLine("consult", where, [], pathOf),
    wait: commandLine("wait-for-turn", { ...where, participant, ...portion }, [], pathOf),
    report: commandLine("report", where, [], pathOf),
    reportOf: (other) => commandLine("report", whereIs(where, other, pathOf), [], pathOf),
  };
}

/** What names another session where this one is named so. */
function whereIs(
  { folder: named, workspace }: Record<string, string | undefined>,
  { id, folder, workspace: own }: Place,
  pathOf: PathWriter,
): Record<string, string | undefined> {
  const byFolder = named !== undefined || own === undefined;
  return byFolder ? { folder: pathOf(folder) } : { workspace, session: id };
}

/** The options with the draft's file where they have `-` for it. */
function withFile({ options }: Move, file: string | undefined): Record<string, string> {
  const entries = Object.entries(options);
  return Object.fromEntries(entries.map(([name, it]) => [name, it === "-" ? (file ?? it) : it]));
}
