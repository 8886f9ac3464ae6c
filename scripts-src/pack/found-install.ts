import { dirname, join } from "node:path";
import { packVersion } from "../base/pack-version.ts";
import { existsSync, realpathSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { fileStatus } from "../files/project-file.ts";
import { type InstalledPack, readInstalled } from "./installed.ts";
import {
  commandFolders,
  fileAt,
  filesBelow,
  type Pack,
  skillFiles,
  skillFolders,
  textAt,
} from "./pack.ts";
import { hashOfFile, originals } from "./plan-install.ts";
import { foundSettings } from "./plan-settings.ts";

/**
 * What install has put into a project: by its record, which is not committed, else what a checkout holds
 * that this pack would put there.
 * @throws ConsultaError REFUSED when the record is not one of ours.
 */
export function installedIn(pack: Pack, project: string): InstalledPack | undefined {
  return readInstalled(project) ?? foundIn(pack, project);
}

function foundIn(pack: Pack, project: string): InstalledPack | undefined {
  if (pack.root !== undefined && realpathSync(pack.root) === realpathSync(project))
    return undefined;
  const isThere = ([path, read]: Copy) => hashOfFile(join(project, path)) === sha256(read());
  const copies = copiesOf(pack, project).filter(isThere);
  if (copies.length === 0) return undefined;
  const workspace = originals.map(([path, content]): Copy => [path, () => content]);
  const found = [...copies, ...workspace.filter(isThere)];
  const edited = foundSettings(project);
  const paths = [...found.map(([path]) => path), ...Object.keys(edited)];
  return {
    version: packVersion,
    files: Object.fromEntries(found.map(([path, read]) => [path, sha256(read())])),
    folders: [...new Set(paths.flatMap(foldersAbove))].sort(),
    edited,
  };
}

type Copy = readonly [path: string, read: () => Uint8Array];

/** The files of skills and slash commands that are there under the names that install would give them. */
function copiesOf({ root, skills }: Pack, project: string): Copy[] {
  // What another installer keeps is not ours.
  const homes = existsSync(join(project, "skills-lock.json")) ? [] : Object.values(skillFolders);
  const copied = homes.flatMap((home) =>
    [...skills].map(([name, source]) => [source, `${home}/${name}`, skillFiles(source)] as const),
  );
  const commands = (root === undefined ? [] : commandFolders).map((folder) => {
    const source = join(root ?? "", folder);
    return [source, folder, filesBelow(source)] as const;
  });
  return [...copied, ...commands].flatMap(([source, folder, names]) => {
    if (fileStatus(join(project, folder))?.isSymbolicLink() === true) return [];
    return names
      .map((name): Copy => [`${folder}/${name}`, () => textAt(fileAt(source, name))])
      .filter(([path]) => existsSync(join(project, path)));
  });
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [...foldersAbove(folder), folder];
}
