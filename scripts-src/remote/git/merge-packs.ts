import { join } from "node:path";
import { isOlderThan, namesIn } from "../../files/atomic-file.ts";
import { discard } from "../../files/regular-file.ts";
import { remoteLimits } from "../limits.ts";
import type { Git } from "./run-git.ts";

/**
 * Makes one pack of the many that fetches have left in a repository of ours, if there are: git's own
 * housekeeping is off there, and what git checks as it comes (`fetch.fsckObjects`) it leaves packed.
 *
 * Other processes may read, fetch and append meanwhile, and all may be killed: nothing is dropped, a pack
 * goes when the new one is whole, and git looks again for an object that is not where it was.
 */
export async function mergePacks(git: Git): Promise<void> {
  const folder = join(git.repository, "objects", "pack");
  if (mergeable(namesIn(folder)).length < remoteLimits.packs) return;
  // `-k`: also what no ref names yet, which a process has just fetched or is about to push.
  const words = ["repack", "-a", "-d", "-k", "-l", "-n", "-q"];
  // A failure changes nothing: the next fetch tries again.
  await git.run({ words: [...plainly, ...words], timeoutMs: remoteLimits.mergeMs });
  removeLeftovers(folder);
}

/** One pack and no bitmap of it, whatever the user's settings say. */
const plainly = ["-c", "pack.packSizeLimit=0", "-c", "repack.writeBitmaps=false"];

/** A pack that is kept belongs to a fetch that is not done. */
function mergeable(names: readonly string[]): string[] {
  const all = new Set(names);
  const packs = names.filter((name) => /^pack-[0-9a-f]+\.pack$/.test(name));
  return packs.filter((name) => !all.has(name.replace(/pack$/, "keep")));
}

/** What processes have left that were killed as they wrote a pack, or removed one. */
function removeLeftovers(folder: string): void {
  const names = namesIn(folder);
  const all = new Set(names);
  for (const name of names) {
    const stem = name.replace(/\.\w+$/, "");
    const isPart =
      /^pack-[0-9a-f]+\./.test(name) && all.has(`${stem}.pack`) && all.has(`${stem}.idx`);
    const isOurs = /^(?:\.tmp-|tmp_|pack-)/.test(name);
    if (isOurs && !isPart && isOlderThan(join(folder, name), remoteLimits.leftoverMs))
      discard(join(folder, name));
  }
}
