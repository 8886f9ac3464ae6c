import { join } from "node:path";

/**
 * As `join`, for an absolute folder in its plain form and one plain name. A script makes dozens of such
 * paths at each start; `join` reads every character again, so often that V8 compiles it for speed, which
 * costs more than all else that the paths do.
 */
export function childPath(folder: string, name: string): string {
  const isPlain = folder.startsWith("/") && !folder.endsWith("/");
  return isPlain ? `${folder}/${name}` : join(folder, name);
}
