import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Config, defaultConfig, parseConfig } from "../core/config.ts";
import { ConsultaError } from "../core/errors.ts";
import { parseStrictJson } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import {
  createFileExclusively,
  isHollow,
  namesIn,
  readFileIfPresent,
  writeFileAtomically,
} from "../store/atomic-file.ts";
import { ensureFolder, safeJoin } from "../store/safe-path.ts";

/** A project's `.consulta/` folder with its config (DESIGN section 6). */
export interface Workspace {
  /** The `.consulta` folder itself. */
  readonly root: string;
  /** The folder that holds it: paths in messages are relative to this. */
  readonly project: string;
  readonly config: Config;
}

const folderName = ".consulta";

/**
 * The workspace of `start` or of the nearest folder above it.
 * @throws ConsultaError REFUSED when there is none, or when its config is wrong.
 */
export function findWorkspace(start: string): Workspace {
  const project = folderAbove(start, holdsWorkspace);
  if (project !== undefined) return readWorkspace(project);
  throw new ConsultaError(
    "REFUSED",
    `no ${folderName} folder in ${start} or above; run init there first, or give --workspace DIR`,
  );
}

/** The workspace of `start` or above; where there is none, one is made at the repository's root. */
export async function openWorkspace(start: string): Promise<Workspace> {
  const project = folderAbove(start, holdsWorkspace) ?? folderAbove(start, isRepository) ?? start;
  const root = ensureFolder(project, folderName);
  const furniture = ["PROTOCOL.md", "config.json", ".gitignore"];
  if (furniture.some((name) => isLost(join(root, name)))) await furnish(root);
  return readWorkspace(project);
}

/** Whether a file is missing, or a power cut took what it held. */
function isLost(path: string): boolean {
  return isHollow(readFileIfPresent(path, limits.messageBytes) ?? "");
}

/** Writes what a fresh workspace lacks; it replaces nothing that holds anything. */
async function furnish(root: string): Promise<void> {
  const { workspaceFiles } = await import("./workspace-files.ts");
  for (const [name, text] of Object.entries(workspaceFiles)) {
    const path = join(root, name);
    if (!createFileExclusively(path, text) && isLost(path)) writeFileAtomically(path, text);
  }
}

/** Keeps what is written into a `.consulta` folder, workspace or not, out of the project's history. */
export async function keepUntracked(root: string): Promise<void> {
  const path = join(root, ".gitignore");
  if (existsSync(path)) return;
  const { workspaceFiles } = await import("./workspace-files.ts");
  createFileExclusively(path, workspaceFiles[".gitignore"] ?? "");
}

/** A folder below `.consulta`, which keeps itself out of the project's history where that does not. */
export function ensureUntracked(root: string, name: string): string {
  const folder = ensureFolder(dirname(root), basename(root), name);
  if (!existsSync(join(root, ".gitignore"))) {
    createFileExclusively(join(folder, ".gitignore"), "*\n");
  }
  return folder;
}

export function isInWorkspace(start: string): boolean {
  return workspaceRoot(start) !== undefined;
}

/** The `.consulta` folder of the workspace that `start` is in, also where its config is wrong. */
export function workspaceRoot(start: string): string | undefined {
  const project = folderAbove(start, holdsWorkspace);
  return project === undefined ? undefined : join(project, folderName);
}

/** `start` or the nearest folder above it that is wanted. */
function folderAbove(start: string, isWanted: (folder: string) => boolean): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isWanted(folder)) return folder;
    // A repository is a project of its own: what lies above it is somebody else's.
    if (dirname(folder) === folder || isRepository(folder)) return undefined;
  }
}

function isRepository(folder: string): boolean {
  return existsSync(join(folder, ".git"));
}

/**
 * The user's own settings and seats lie in `~/.consulta`, and drafts also where there is no workspace:
 * that alone makes none.
 */
function holdsWorkspace(folder: string): boolean {
  const root = join(folder, folderName);
  if (!existsSync(root)) return false;
  if (["config.json", "sessions"].some((name) => existsSync(join(root, name)))) return true;
  return !isHome(folder) && !holdsOnlyDrafts(root);
}

function holdsOnlyDrafts(root: string): boolean {
  const names = existsSync(join(root, "drafts")) ? namesIn(root) : [];
  return names.includes("drafts") && names.every((name) => ["drafts", ".gitignore"].includes(name));
}

export function isHome(folder: string): boolean {
  const [one, other] = [folder, homedir()].map((path) => {
    try {
      return realpathSync.native(path);
    } catch {
      return path;
    }
  });
  return one === other;
}

function readWorkspace(project: string): Workspace {
  const root = safeJoin(project, folderName);
  const text = readFileIfPresent(join(root, "config.json"), limits.messageBytes);
  // Empty or all zeros is what a power cut leaves: there is nothing in it to be kept.
  const isSet = text !== undefined && !isHollow(text);
  const config = isSet ? parseConfig(parseStrictJson(text, "config.json")) : defaultConfig;
  return { root, project, config };
}
