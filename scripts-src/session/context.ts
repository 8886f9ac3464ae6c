import { dirname, relative, resolve, sep } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { parseForeignName, parseParticipant, parseSessionId } from "../base/names.ts";
import { shellWord } from "../base/quote.ts";
import { isSharingAllowed } from "../files/own-folder.ts";
import { readStateKey } from "../files/state-key.ts";
import { type Config, defaultConfig } from "../protocol/config.ts";
import type { Move, SessionStatus } from "../protocol/protocol.ts";
import type { Arguments, OptionSpec } from "../script/arguments.ts";
import { type Place, placeAt, placeIn } from "./place.ts";
import type { NamedStatus } from "./session.ts";
import { isOurs, type Listed, latestSessions, listOpen, listSessions } from "./session-list.ts";
import { draftFile } from "./text/draft-files.ts";
import type { Commands } from "./text/next-action-text.ts";
import {
  findWorkspace,
  isInWorkspace,
  openWorkspace,
  type Workspace,
} from "./workspace/workspace.ts";

export const workspaceOption: OptionSpec = {
  flags: "--workspace <dir>",
  text: "project folder that holds .consulta (default: this folder or the nearest above)",
};
export const sessionOption: OptionSpec = {
  flags: "--session <id>",
  text: "the session (default: your only open one)",
};
export const participantOption: OptionSpec = {
  flags: "--participant <name>",
  text: "who you are (default: claude in Claude Code, gemini in Gemini CLI)",
};
export const folderOption: OptionSpec = {
  flags: "--folder <dir>",
  text: "the session by its folder, wherever it lies: a collaboration with the original's options",
};
export const jsonOption: OptionSpec = { flags: "--json", text: "print JSON for programs" };

/** What names a session and who acts in it. */
export const sessionOptions = [sessionOption, folderOption, participantOption, workspaceOption];

export function workspaceOf(args: Arguments): Workspace {
  return findWorkspace(startFolder(args));
}

/** Like `workspaceOf`, but makes a workspace where there is none. */
export function workspaceMade(args: Arguments): Promise<Workspace> {
  return openWorkspace(startFolder(args), args.has("workspace"));
}

/** The config that a workspace has, or would have if it were made now. */
export function configOf(args: Arguments): Config {
  return isWorkspaceThere(args) ? workspaceOf(args).config : defaultConfig;
}

export function isWorkspaceThere(args: Arguments): boolean {
  return isInWorkspace(startFolder(args));
}

function startFolder(args: Arguments): string {
  return resolve(args.one("workspace") ?? process.cwd());
}

/**
 * What a new dialogue requires for consensus.
 * @throws ConsultaError REFUSED for anything but `seen`.
 */
export function requirementOf(args: Arguments): "seen" | undefined {
  const given = args.one("require");
  if (given === undefined || given === "seen") return given;
  throw new ConsultaError(
    "REFUSED",
    `--require is ${JSON.stringify(given)}, expected seen: every claim seen by both sides`,
  );
}

/**
 * Who runs this script: the option, else CONSULTA_PARTICIPANT, else the CLI that started it.
 * @throws ConsultaError REFUSED when nothing tells.
 */
export function participantOf(args: Arguments): string {
  const name = args.one("participant") ?? usualParticipant();
  // Whoever began the folder's collaboration chose the names, perhaps with other scripts.
  if (name !== undefined)
    return args.has("folder") ? parseForeignName(name) : parseParticipant(name);
  throw new ConsultaError(
    "REFUSED",
    "who are you? give --participant NAME, the name you have in the session",
  );
}

/** The name that whoever runs this script has where nobody gave it another. */
export function usualParticipant(): string | undefined {
  const { CONSULTA_PARTICIPANT, CLAUDECODE, GEMINI_CLI } = process.env;
  const host =
    CLAUDECODE !== undefined ? "claude" : GEMINI_CLI !== undefined ? "gemini" : undefined;
  return CONSULTA_PARTICIPANT ?? host;
}

/**
 * The session that is meant: the option, else of those that were begun here the participant's only
 * open one, else the one that ended last.
 * @throws ConsultaError REFUSED when there is none, more than one, one that cannot be read, or only
 * one that may have come with the project.
 */
export async function sessionOf(
  args: Arguments,
  workspace: Workspace,
  participant: string,
): Promise<string> {
  const given = args.one("session");
  if (given !== undefined) return parseSessionId(given);
  const listed = await listOpen(workspace);
  const unreadable = listed.find((it) => "fault" in it);
  if (unreadable !== undefined && "fault" in unreadable) {
    throw new ConsultaError(
      "REFUSED",
      `session ${unreadable.id} cannot be read: ${unreadable.fault}; or give --session`,
    );
  }
  // Nobody is called to where there are no turns: that is not what is meant without a name.
  const turns = ownIn(listed, participant).filter(({ hasTurns, ended }) => hasTurns && !ended);
  const open = turns.filter(({ id }) => isOurs(workspace, id));
  if (open.length > 1) {
    const ids = namesOf(open);
    throw new ConsultaError(
      "REFUSED",
      `${participant} has several open sessions; give --session with one of: ${ids}`,
    );
  }
  if (open[0] !== undefined) return open[0].id;
  const latest = await latestOf(workspace, listed, participant);
  if (latest !== undefined && isOurs(workspace, latest.id)) return latest.id;
  const stray = turns[0] ?? latest;
  if (stray !== undefined) throw strayFailure(args, stray);
  const hint = listed.length === 0 ? "run init first" : `there are: ${namesOf(listed)}`;
  throw new ConsultaError("REFUSED", `${participant} is in no session here; ${hint}`);
}

function ownIn(listed: readonly Listed[], participant: string): NamedStatus[] {
  return listed.flatMap((it) =>
    "standing" in it && it.standing.participants.includes(participant) ? [it.standing] : [],
  );
}

/** The session of a participant in which somebody acted last; first those begun here, and with turns. */
async function latestOf(
  workspace: Workspace,
  listed: readonly Listed[],
  participant: string,
): Promise<NamedStatus | undefined> {
  const seen = new Set(listed.map(({ id }) => id));
  const others = latestSessions(workspace).filter((id) => !seen.has(id));
  const all = ownIn([...listed, ...(await listSessions(workspace, others))], participant);
  const begun = firstOf(all, ({ id }) => isOurs(workspace, id));
  const among = firstOf(begun, ({ hasTurns }) => hasTurns);
  return among.sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1))[0];
}

/** Those that are wanted; all where none is. */
function firstOf<T>(all: readonly T[], isWanted: (it: T) => boolean): T[] {
  const wanted = all.filter(isWanted);
  return wanted.length > 0 ? wanted : [...all];
}

/** Nobody goes on in a session that a clone may have brought because it is the only one there. */
function strayFailure(args: Arguments, { id }: NamedStatus): ConsultaError {
  const adopt = commandLine("status", { workspace: args.one("workspace"), session: id });
  const wayOut =
    readStateKey() === undefined
      ? "without a key in ~/.consulta none is known as yours"
      : `the user makes it yours by: ${adopt} --adopt`;
  return new ConsultaError(
    "REFUSED",
    `session ${id} was not begun here by you: it may have come with the project; if the user wants it, ` +
      `give --session ${id}; ${wayOut}`,
  );
}

function namesOf(sessions: readonly { readonly id: string }[]): string {
  const more = sessions.length - limits.sessionsNamed;
  const ids = sessions.slice(0, limits.sessionsNamed).map(({ id }) => id);
  return `${ids.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/**
 * The session that a command line is about: its folder, or its name in the workspace.
 * @throws ConsultaError REFUSED when it names none, or both.
 */
export async function placeOf(args: Arguments, participant: string): Promise<Place> {
  const named = folderOf(args);
  if (named !== undefined) return named;
  const workspace = workspaceOf(args);
  return placeIn(workspace, await sessionOf(args, workspace, participant));
}

/** The place that `--folder` names; undefined without it. `at` says what a missing folder means. */
export function folderOf(args: Arguments, at = placeAt): Place | undefined {
  const folder = args.one("folder");
  if (folder === undefined) return undefined;
  const other = ["session", "workspace"].find((name) => args.has(name));
  if (other === undefined) return at(folder);
  throw new ConsultaError(
    "REFUSED",
    `--folder and --${other} came; --folder alone names a session, leave out --${other}`,
  );
}

/** How an absolute path is printed. */
type PathWriter = (path: string) => string;

/** For whoever is where this script runs: below that folder, a path as users permit it in advance. */
export const pathFromHere: PathWriter = (path) => {
  const near = relative(process.cwd(), path).split(sep).join("/");
  return near.startsWith("../") ? path : near;
};

/** For whoever may be in any folder. */
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
  const words = ["node", shellWord(pathOf(file)), ...positionals.map(shellWord)];
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) words.push(`--${name}`, shellWord(value));
  }
  if (isSharingAllowed() && script !== "hook") words.push("--allow-shared");
  return words.join(" ");
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

/** The options with the draft's file where they have `-` for it. */
function withFile({ options }: Move, file: string | undefined): Record<string, string> {
  const entries = Object.entries(options);
  return Object.fromEntries(entries.map(([name, it]) => [name, it === "-" ? (file ?? it) : it]));
}
