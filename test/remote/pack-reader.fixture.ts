/**
 * Reads all that a machine has of a session, again and again, until its input ends; then prints how often.
 *
 *   node pack-reader.mjs <home of the machine> <url>
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { machineIn } from "./git-remote.ts";

const [home = "", url = ""] = process.argv.slice(2);
const store = machineIn(home, url).store();

let hasEnded = false;
process.stdin.on("end", () => {
  hasEnded = true;
});
process.stdin.resume();

let reads = 0;
for (let least = 0; !hasEnded; reads += 1) {
  const count = await store.count();
  assert(count >= least, `event ${least} was there`);
  least = count;
  assert((await store.linesAfter(0)).length >= count);
  const documents = await store.documents();
  assert.equal((await store.read(documents)).length, documents.length);
  await sleep(50);
}
process.stdout.write(String(reads));
