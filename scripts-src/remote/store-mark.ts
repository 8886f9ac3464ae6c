import { join } from "node:path";
import { existsSync } from "../files/disk.ts";

/**
 * In a session's folder: its log is kept elsewhere as well. The file holds a key, and
 * ~/.consulta/stores/KEY/entry.json says where the store is (store-entry.ts).
 */
export const storeMark = ".store";

export function hasStore(folder: string): boolean {
  return existsSync(join(folder, storeMark));
}
