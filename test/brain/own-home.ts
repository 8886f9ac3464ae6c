/**
 * Gives the tests of a process a home of their own, where brains may make their key.
 * The Node that runs brains stays where it was installed.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { makeScratchFolder } from "../scratch-folder.ts";

/** Set where that is done: files that share a process have one home, which all look up at any time. */
const mark = "CONSULTA_TEST_HOME";

if (process.env[mark] === undefined) {
  process.env["XDG_CACHE_HOME"] ||= join(homedir(), ".cache");
  const home = makeScratchFolder();
  process.env[mark] = home;
  process.env["HOME"] = home;
}
