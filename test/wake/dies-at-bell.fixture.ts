/** Loaded into a process that hangs bells: it is killed over some of them, before they have their name or right after. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const share = 0.08;
const { renameSync } = fs;

fs.renameSync = (from, to) => {
  const isBell = String(to).endsWith(".bell");
  if (isBell) mayDie();
  renameSync(from, to);
  if (isBell) mayDie();
};
syncBuiltinESMExports();

function mayDie(): void {
  if (Math.random() < share) process.kill(process.pid, "SIGKILL");
}
