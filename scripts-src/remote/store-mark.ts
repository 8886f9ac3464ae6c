import { join } from "node:path";
import { existsSync } from "../files/disk.ts";

/** In a session's folder: its log is kept elsewhere as well. Where that is, the user's home says. */
export const storeMark = ".store";

export function hasStore(folder: string): boolean {
  return existsSync(join(folder, storeMark));
}
