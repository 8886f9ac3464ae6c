import { join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { readLimits } from "../../clis/user-settings.ts";
import { homeOrNone } from "../../files/home-folder.ts";
import { readOwnFile } from "../../files/private-file.ts";
import type { ConfigLimits } from "../../protocol/config-limits.ts";

let own: { limits: ConfigLimits; failure?: string } = { limits: {} };

/** How far the user lets projects go; see `readOwnLimits`. */
export function ownLimits(): ConfigLimits {
  return own.limits;
}

/** Why the user's own settings could not be read. */
export function ownLimitsFailure(): string | undefined {
  return own.failure;
}

/**
 * Reads the section `limits` of the user's own settings, once in a process. Most users have none, and
 * pay for no YAML. Never fails: a project that needs it is refused with the reason.
 */
export async function readOwnLimits(): Promise<void> {
  try {
    const home = homeOrNone();
    if (home === undefined) return;
    const text = readOwnFile(join(home, ".consulta", "config.yaml"), limits.messageBytes);
    if (text?.includes("limits") !== true) return;
    own = { limits: await readLimits(process.env) };
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    own = { limits: {}, failure: cause.message };
  }
}
