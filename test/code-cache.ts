import { join } from "node:path";
import { sharedFolder } from "./shared-folder.ts";

/**
 * For XDG_CACHE_HOME of the scripts that a test gives a home of their own: V8's code cache lies there,
 * and without it each of their starts would be a cold one.
 */
export const codeCache = join(sharedFolder(), "cache");
