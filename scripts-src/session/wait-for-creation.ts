import { setTimeout } from "node:timers/promises";
import { isOlderThan } from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";

/** Who makes something puts into it at once what makes it whole: so long a young one is waited for. */
const patienceMs = 2_000;
const lookMs = 25;
export const youngMs = 10_000;

/** What `look` finds, now or while another process may be making it (`isYoung`); undefined where nothing comes. */
export async function lookWhileMade<T>(
  isYoung: () => boolean,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  let mayCome = true;
  for (let waited = 0; ; waited += lookMs) {
    const found = await look();
    if (found !== undefined || !mayCome) return found;
    // Before the last look: what comes between the two is seen.
    mayCome = waited < patienceMs && isYoung();
    if (mayCome) await setTimeout(lookMs);
  }
}

/** Whether a log is one whose first line may be about to be written: its writer makes the file first. */
export function isLogInMaking(path: string): boolean {
  return lstatSync(path)?.size === 0 && !isOlderThan(path, youngMs);
}
