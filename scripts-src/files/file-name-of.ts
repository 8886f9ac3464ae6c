import { isSafeName } from "../base/names.ts";
import { checksum } from "./checksum.ts";

/**
 * A name as a part of a path. Others may have chosen one that cannot be part of it: that is told by
 * its checksum, with a sign no safe name begins with.
 */
export function fileNameOf(name: string): string {
  return isSafeName(name) ? name : `~${checksum(Buffer.from(name))}`;
}
