import { resolve, sep } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { shellWord } from "../base/escape-untrusted-text.ts";
import { cliAbove } from "../clis/detect-parent-cli.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { commandLine, readerAnywhere } from "../script/command-line.ts";
import { readInput } from "../script/read-input.ts";
import { pathInProject, realPathOf } from "./workspace/current-project.ts";
import { isKnownToUser } from "./workspace/known-sessions.ts";

/**
 * What an agent may not do by itself, whatever its CLI permits: run programs of its choice, write
 * into the user's own files, read what is outside of its project.
 */

/** @throws ConsultaError REFUSED below an AI CLI, with the command for its user to run. */
export async function refuseBelowCli(what: string, remedy?: string): Promise<void> {
  const cli = cliAbove();
  if (cli === undefined) return;
  const way = remedy ?? `the user can, in a terminal: ${ownCommand()}`;
  throw new ConsultaError("REFUSED", `${what}, which an agent may not (${cli} runs this); ${way}`);
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
