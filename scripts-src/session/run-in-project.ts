import { join, resolve, sep } from "node:path";
import { refused } from "../base/errors.ts";
import { shellWord } from "../base/quote-text.ts";
import { cliAbove } from "../clis/detect-parent-cli.ts";
import { existsSync, realpathSync } from "../files/disk.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { allowSharing, isSharingAllowed, sharedVariable } from "../files/ownership.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { commandLine, readerAnywhere } from "../script/command-line.ts";
import { readInput } from "../script/read-input.ts";
import { runScript } from "../script/run-script.ts";
import { absolutePath, pathInProject, realPathOf } from "./place.ts";
import { isSessionFolder } from "./session.ts";
import { isKnownToUser } from "./workspace/sessions-elsewhere.ts";
import { isInWorkspace, projectFolder, readOwnLimits } from "./workspace/workspace.ts";

/**
 * Runs one script of ours: what its user allows is read, and the places that the command line names
 * are checked, before `main` is called.
 */
export function runInProject(
  spec: ScriptSpec,
  main: (args: Arguments) => Promise<number | undefined>,
): Promise<void> {
  return runScript(spec, async (args) => {
    if (args.has("allow-shared")) await shareOnPurpose();
    await readOwnLimits();
    await checkNamedPlaces(spec, args);
    return main(args);
  });
}

/** Only a user shares on purpose: an agent could add the option to any line that it may run. */
async function shareOnPurpose(): Promise<void> {
  if (isSharingAllowed()) return;
  const remedy = `the user can start the CLI with ${sharedVariable}=1 in its environment`;
  await refuseBelowCli("--allow-shared uses what others may write to", remedy);
  allowSharing();
}

/**
 * What an agent may not do by itself, whatever its CLI permits: run programs of its choice, write
 * into the user's own files, read what is outside of its project.
 */

/** @throws ConsultaError REFUSED below an AI CLI, with the command for its user to run. */
export async function refuseBelowCli(what: string, remedy?: string): Promise<void> {
  const cli = cliAbove();
  if (cli === undefined) return;
  const way = remedy ?? `the user can, in a terminal: ${ownCommand()}`;
  throw refused(`${what}, which an agent may not (${cli} runs this); ${way}`);
}

/** The command that runs this script, for a reader who may be in any folder. */
export function ownCommand(): string {
  const [, script = "", ...words] = process.argv;
  const command = ["node", resolve(script), ...words].map(shellWord).join(" ");
  return `cd ${shellWord(process.cwd())} && ${command}`;
}

/**
 * @throws ConsultaError REFUSED below an AI CLI for a place outside of the project, unless it is a
 * session that the user has let agents use; and for a new one in a hidden folder.
 */
export async function refuseFarPlace({ path, holdsSession, isNew }: NamedPlace): Promise<void> {
  if (isNew) await refuseHiddenPlace(path);
  const folder = realPathOf(path);
  const home = homeOrNone();
  const isAllowed = home !== undefined && isKnownToUser(home, folder);
  if (isAllowed || pathInProject(path) !== undefined) return;
  const what = `${shellWord(path)} lies outside of the project`;
  await refuseBelowCli(what, holdsSession ? lineToAllow(folder) : undefined);
}

/** @throws ConsultaError REFUSED below an AI CLI for a hidden folder: settings of programs lie there. */
export async function refuseHiddenPlace(path: string): Promise<void> {
  if (isHidden(pathInProject(path) ?? realPathOf(path)))
    await refuseBelowCli(`${shellWord(path)} is, or lies in, a hidden folder`);
}

/** A place that a command line names. */
export interface NamedPlace {
  readonly path: string;
  readonly holdsSession: boolean;
  /** Nothing of ours is there yet. */
  readonly isNew: boolean;
}

function isHidden(path: string): boolean {
  return path.split(sep).some((name) => name.startsWith(".") && name !== ".consulta");
}

/** What the user runs to let agents use a session that is elsewhere. */
function lineToAllow(folder: string): string {
  const line = commandLine("status", { folder: { path: folder } }, [], readerAnywhere());
  return `the user can allow it, in a terminal: ${line}`;
}

/**
 * The text of a file that an agent names, or of standard input for `-`.
 * @throws ConsultaError REFUSED like `readInput`, and below an AI CLI for a file outside of the project, or a hidden one.
 */
export async function readDraft(file: string, bytesMax: number): Promise<string> {
  if (file !== "-") await refuseFarFile(file);
  return readInput(file, bytesMax);
}

/** @throws ConsultaError REFUSED below an AI CLI for a file outside of the project, or a hidden one. */
export async function refuseFarFile(file: string): Promise<void> {
  const near = pathInProject(file);
  if (near === undefined) await refuseBelowCli(`${shellWord(file)} leads out of the project`);
  else if (isHidden(near))
    await refuseBelowCli(`${shellWord(file)} is, or leads to, a hidden file`);
}

/**
 * Checks all places that a command line names: below an AI CLI only those of the project may be used,
 * and sessions elsewhere that the user has let agents use. Costs next to nothing where all lie here.
 * @throws ConsultaError REFUSED with what the user can run.
 */
export async function checkNamedPlaces(spec: ScriptSpec, args: Arguments): Promise<void> {
  const far = placesNamed(spec, args).filter(({ path, isNew }) => isNew || !isPlainlyHere(path));
  const files = args.many("presence").filter((path) => !isPlainlyHere(path));
  if (far.length === 0 && files.length === 0) return;
  for (const place of far) await refuseFarPlace(place);
  for (const file of files) await refuseFarFile(file);
}

/** In the folder that this runs in, with no link on the way. */
function isPlainlyHere(path: string): boolean {
  const named = resolve(path);
  const here = process.cwd();
  if (named !== here && !named.startsWith(here.endsWith(sep) ? here : here + sep)) return false;
  return existsSync(named) && realpathSync(named) === named;
}

function placesNamed({ positionals = [] }: ScriptSpec, args: Arguments): NamedPlace[] {
  const board = positionals[0] === "<dir>" ? args.positionals.slice(0, 1) : [];
  return [
    ...args.many("workspace").map(workspaceAt),
    ...[...args.many("folder"), ...board].map(sessionAt),
    ...[...args.many("into"), ...args.many("inbox")].map(folderAt),
    ...args.many("repo-root").map((path) => folderAt(join(sessionFolder(args), path))),
  ];
}

/** What is used is the workspace of that folder, which may be one above it. */
function workspaceAt(path: string): NamedPlace {
  const start = resolve(path);
  return { path: projectFolder(start), holdsSession: false, isNew: !isInWorkspace(start) };
}

/** The place of a session by its folder. */
export function sessionAt(path: string): NamedPlace {
  const folder = absolutePath(path);
  const holdsSession = isSessionFolder(folder);
  return { path: folder, holdsSession, isNew: !holdsSession };
}

function folderAt(path: string): NamedPlace {
  return { path: resolve(path), holdsSession: false, isNew: false };
}

/** Where the session is, or will, that a repository is named for. */
function sessionFolder(args: Arguments): string {
  const folder = args.one("folder");
  if (folder !== undefined) return absolutePath(folder);
  const project = projectFolder(resolve(args.one("workspace") ?? process.cwd()));
  return join(project, ".consulta", "sessions", "new");
}
