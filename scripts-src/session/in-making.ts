import { setTimeout } from "node:timers/promises";
import { isOlderThan } from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";

/** The writer makes the file first and puts the first line into it at once: so long a young one is given. */
const patienceMs = 2_000;
const lookMs = 25;
const youngMs = 10_000;

/**
 * What a log begins with that another process may be making right now; undefined where no first line comes. `look`
 * reads it.
 */
export async function firstOfLogInMaking<T>(
  path: string,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let waited = 0; ; waited += lookMs) {
    // Before the look: what is written between them is read.
    const mayCome = waited < patienceMs && isInMaking(path);
    const first = await look();
    if (first !== undefined || !mayCome) return first;
    await setTimeout(lookMs);
  }
}

function isInMaking(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.size === 0 && !isOlderThan(path, youngMs);
}
