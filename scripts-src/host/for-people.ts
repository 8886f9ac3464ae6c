import { dirname, relative, resolve, sep } from "node:path";
import { workspaceRoot } from "../app/workspace.ts";
import { ConsultaError } from "../core/errors.ts";
import { realpathSync } from "../store/disk.ts";
import { readInput } from "./read-input.ts";
import { shellWord } from "./shell-word.ts";

/**
 * What an agent may not do by itself, whatever its CLI permits: run programs of its choice, write
 * into the user's own files, read what lies outside of its project.
 */

/** @throws ConsultaError REFUSED below an AI CLI, with the command for its user to run. */
export async function refuseBelowCli(what: string): Promise<void> {
  const { cliAbove } = await import("../app/cli-above.ts");
  const cli = cliAbove();
  if (cli === undefined) return;
  throw new ConsultaError(
    "REFUSED",
    `${what}, which an agent may not (${cli} runs this); the user can, in a terminal: ${ownCommand()}`,
  );
}

/** The command that runs this script, for whoever is in any folder. */
function ownCommand(): string {
  const [, script = "", ...words] = process.argv;
  const command = ["node", resolve(script), ...words].map(shellWord).join(" ");
  return `cd ${shellWord(process.cwd())} && ${command}`;
}

/** @throws ConsultaError REFUSED below an AI CLI for a folder outside of the project, or a hidden one. */
export async function refuseFolderBelowCli(folder: string): Promise<void> {
  if (isPlainBelow(realPathOf(resolve(folder)))) return;
  await refuseBelowCli(`${shellWord(folder)} lies outside of the project, or in a hidden folder`);
}

/** Whether a path lies in the project, and neither out of it nor behind a hidden name but `.consulta`. */
function isPlainBelow(path: string): boolean {
  const isPlain = (it: string) => !it.split(sep).some((name) => /^\.(?!consulta$)/.test(name));
  return projects().some((project) => isPlain(relative(project, path)));
}

/** @throws ConsultaError REFUSED below an AI CLI for a hidden folder: settings of programs lie there. */
export async function refuseHiddenBelowCli(folder: string): Promise<void> {
  const isHidden = realPathOf(resolve(folder))
    .split(sep)
    .some((name) => name.startsWith("."));
  if (isHidden) await refuseBelowCli(`${shellWord(folder)} is, or lies in, a hidden folder`);
}

/**
 * The text of a file that an agent names, or of standard input for `-`.
 * @throws ConsultaError REFUSED like `readInput`, and below an AI CLI for a file outside of the project, or a hidden one.
 */
export async function readDraft(file: string, bytesMax: number): Promise<string> {
  if (file !== "-") {
    const path = realPathOf(resolve(file));
    const isNear = projects().some((project) => path.startsWith(`${project}${sep}`));
    if (!isNear) await refuseBelowCli(`${shellWord(file)} leads out of the project`);
    if (!isPlainBelow(path))
      await refuseBelowCli(`${shellWord(file)} is, or leads to, a hidden file`);
  }
  return readInput(file, bytesMax);
}

/** The folder that this runs in, and the one whose workspace it uses. */
function projects(): string[] {
  const root = workspaceRoot(process.cwd());
  const folders = [process.cwd(), ...(root === undefined ? [] : [dirname(root)])];
  return folders.map((folder) => realpathSync(folder));
}

/** Where a path leads, through links; what is not there yet, below what is. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : resolve(realPathOf(above), relative(above, path));
  }
}
