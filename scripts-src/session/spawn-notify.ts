import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { existsSync } from "../files/disk.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { readOwnFile } from "../files/private-file.ts";
import { programOf } from "../script/command-line.ts";
import type { Place } from "./place.ts";

/**
 * Calls the person about what `seq` brought, in a process of its own that nobody waits for. Where the
 * person has no `notify` nothing is started; whatever fails here, the event stands.
 */
export function callPerson({ folder }: Place, seq: number): void {
  const [script = "", ...more] = programOf(dirname(process.argv[1] ?? "."), "notify");
  if (!mayNotify() || !existsSync(script)) return;
  const words = [script, ...more, "--folder", folder, "--seq", String(seq)];
  const child = spawn(process.execPath, words, {
    cwd: dirname(folder),
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", () => undefined);
  child.unref();
}

/** Reading is cheap; that the settings are right is for `notify` to see. */
function mayNotify(): boolean {
  try {
    const home = homeOrNone();
    if (home === undefined) return false;
    const text = readOwnFile(join(home, ".consulta", "config.yaml"), limits.messageBytes);
    return text?.includes("notify") === true;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return false;
  }
}
