import { dirname, resolve, sep } from "node:path";
import { shellWord } from "../base/quote.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { isSharingAllowed } from "../files/own-folder.ts";
import type { Move, SessionStatus } from "../protocol/protocol.ts";
import type { Arguments } from "../script/arguments.ts";
import type { Place } from "./place.ts";
import { draftFile } from "./text/draft-files.ts";
import type { Commands } from "./text/next-action-text.ts";

/** How an absolute path is printed. */
type PathWriter = (path: string) => string;

/** Relative below the current folder: that is the form in which users permit a command in advance. */
export const pathFromHere: PathWriter = (path) => {
  const here = process.cwd();
  if (path === here) return "";
  return pathBelow(path, here) ?? path;
};

/** For the user of another machine, in a clone of the project: what lies in the home here does so there. */
export const pathFromClone = (project: string): PathWriter => {
  const home = homeOrNone();
  return (path) => {
    // In containers everything is below the home.
    const inHome = home === undefined || home === sep ? undefined : pathBelow(path, home);
    return pathBelow(path, project) ?? (inHome === undefined ? path : `~/${inHome}`);
  };
};

function pathBelow(path: string, folder: string): string | undefined {
  const inside = folder.endsWith(sep) ? folder : `${folder}${sep}`;
  const near = path.slice(inside.length).split(sep).join("/");
  // A folder of that name is not the home.
  return isBelow(path, inside) && !near.startsWith("~/") ? near : undefined;
}

/** Windows writes one folder with small letters or large ones. */
function isBelow(path: string, folder: string): boolean {
  if (process.platform !== "win32") return path.startsWith(folder);
  return path.toLowerCase().startsWith(folder.toLowerCase());
}

/** For a reader who may be in any folder. */
export const pathFromAnywhere: PathWriter = (path) => path;

/**
 * The command line that runs a script, of the running script's own folder unless another is given:
 * its words, then its options.
 */
export function commandLine(
  script: string,
  options: Record<string, string | undefined>,
  positionals: readonly string[] = [],
  pathOf = pathFromHere,
  scripts = dirname(process.argv[1] ?? "."),
): string {
  const file = resolve(scripts, `${script}.cjs`);
  const words = ["node", pathWord(pathOf(file)), ...positionals.map(shellWord)];
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) words.push(`--${name}`, shellWord(value));
  }
  if (isSharingAllowed() && script !== "hook") words.push("--allow-shared");
  return words.join(" ");
}

/** A shell knows the home by a ~ outside of quotes. */
function pathWord(path: string): string {
  return path.startsWith("~/") ? `~/${shellWord(path.slice(2))}` : shellWord(path);
}

/** The line that runs another script on a session, which a command line named or led to. */
export function lineFor(args: Arguments, script: string, { id, folder, workspace }: Place): string {
  const where =
    workspace === undefined
      ? { folder: args.one("folder") ?? (pathFromHere(folder) || ".") }
      : { workspace: args.one("workspace"), session: id };
  return commandLine(script, where);
}

/** The commands that check a session; only a dialogue rests on records that can be made again. */
export function checkCommands(args: Arguments, place: Place, kind: string) {
  const validate = lineFor(args, "validate", place);
  if (kind !== "dialogue") return { validate };
  return { validate, replay: `${lineFor(args, "check", place)} --replay` };
}

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
    check: (claim) =>
      commandLine(
        "check",
        { workspace: where["workspace"], session: place.id, participant, claim },
        [],
        pathOf,
      ),
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
