import { constants } from "node:os";

/** The system's own name of an error number, for those that Node has no name for; undefined for none. */
export function errnoName(errno: number): string | undefined {
  return Object.entries(constants.errno).find(([, number]) => number === errno)?.[0];
}
