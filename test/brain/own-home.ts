/**
 * Gives the tests of a file a home of their own, where brains may make their key. The Node that runs
 * brains stays where it was installed.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

process.env["XDG_CACHE_HOME"] ||= join(homedir(), ".cache");
const home = makeScratchFolder();
process.env["HOME"] = home;
process.on("exit", () => removeFolder(home));
