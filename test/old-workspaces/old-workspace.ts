import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { isRecord } from "../../scripts-src/base/json.ts";
import { Project, recordOf } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

/**
 * What the scripts of an older version left behind: two dialogues, of which one is open, a
 * collaboration, a board, the memories of a brain, and the user's keys. Each is one file of paths and
 * texts; what is no text is gzip in base64, and `{project}` stands for the project's folder.
 */
export const versions = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length))
  .sort();

export interface OldWorkspace {
  readonly project: Project;
  readonly home: string;
  remove(): void;
}

export function unpack(version: string): OldWorkspace {
  const folder = makeScratchFolder();
  const project = new Project(join(folder, "project"));
  const kept = readFileSync(join(import.meta.dirname, `${version}.json`), "utf8");
  for (const [path, content] of Object.entries(recordOf(kept))) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, bytesOf(content, project.folder), { mode: 0o600 });
  }
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return { project, home, remove: () => removeFolder(folder) };
}

function bytesOf(content: unknown, project: string): Uint8Array {
  if (isRecord(content)) return gunzipSync(Buffer.from(String(content["gzip"]), "base64"));
  return Buffer.from(String(content).replaceAll("{project}", project));
}
