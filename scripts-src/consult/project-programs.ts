import { dirname, join, relative } from "node:path";
import { quote } from "../base/json.ts";
import type { DriverProfile } from "../clis/driver-profile.ts";
import { pluginFile, pluginModule, pluginText, projectScripts } from "../clis/opencode-plugin.ts";
import { namesIn } from "../files/atomic-file.ts";
import { existsSync, isFolder, orNothing, readFileSync } from "../files/disk.ts";
import type { Task } from "./driver.ts";

/**
 * What of a project this CLI would run in a turn whatever it is told: a repository could run a program so.
 * Undefined where there is nothing, but for our own plugin, which does nothing in such a turn.
 */
export function projectProgram(
  { project_programs: places }: DriverProfile,
  { project, scripts }: Pick<Task, "project" | "scripts">,
): string | undefined {
  for (let folder = project; ; folder = dirname(folder)) {
    const paths = places.flatMap((place) => programsAt(join(folder, place)));
    const found = paths.find((path) => !isOwnPlugin(path, folder, scripts));
    if (found !== undefined) return quote(relative(project, found));
    if (existsSync(join(folder, ".git")) || folder === dirname(folder)) return undefined;
  }
}

/** All that lies in a folder; a file of settings where it names plugins. */
function programsAt(path: string): string[] {
  if (isFolder(path)) return namesIn(path).map((name) => join(path, name));
  return /plugin|\\u/.test(textOf(path) ?? "") ? [path] : [];
}

function isOwnPlugin(path: string, folder: string, scripts: string): boolean {
  if (path !== join(folder, pluginFile) || textOf(path) !== pluginText) return false;
  const own = textOf(join(scripts, pluginModule));
  return own !== undefined && textOf(join(folder, projectScripts, pluginModule)) === own;
}

function textOf(path: string): string | undefined {
  return orNothing(() => readFileSync(path))?.toString();
}
