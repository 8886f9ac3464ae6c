import { join } from "node:path";
import { realPath } from "./home-folder.ts";

/**
 * Whether a folder is another one, or below it: by its name, or where links lead. A name below it that leads
 * elsewhere counts too, since who may write there can make it lead anywhere. Neither need exist.
 */
export function isWithin(folder: string, outer: string): boolean {
  return isBelow(folder, outer) || isBelow(realPath(folder), realPath(outer));
}

function isBelow(folder: string, outer: string): boolean {
  return join(folder, "/").startsWith(join(outer, "/"));
}
