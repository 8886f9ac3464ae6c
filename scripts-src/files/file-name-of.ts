import { isSafeName } from "../base/names.ts";
import { sha256 } from "./hash.ts";

/**
 * A name as a part of a path. Others may have chosen one that cannot be part of it: that is told by
 * its checksum, with a sign no safe name begins with.
 */
export function fileNameOf(name: string): string {
  return isSafeName(name) ? name : `~${sha256(name).slice(0, 8)}`;
}
