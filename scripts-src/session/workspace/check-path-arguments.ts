import { join, resolve, sep } from "node:path";
import { existsSync, realpathSync } from "../../files/disk.ts";
import type { Arguments, ScriptSpec } from "../../script/arguments.ts";
import { absolutePath } from "../place.ts";
import { type NamedPlace, refuseFarFile, refuseFarPlace } from "../refuse-agents.ts";
import { isSessionFolder } from "../session.ts";
import { isInWorkspace, projectFolder } from "./workspace.ts";

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
