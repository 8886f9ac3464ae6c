import { realpathSync } from "node:fs";
import { join } from "node:path";

/** Whether a folder is another one, or below it, where links lead; neither need exist. */
export function isWithin(folder: string, outer: string): boolean {
  return join(realPath(folder), "/").startsWith(join(realPath(outer), "/"));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
