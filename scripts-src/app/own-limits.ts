import { join } from "node:path";
import type { ConfigLimits } from "../core/config-limits.ts";
import { ConsultaError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { homeOrNone } from "../store/home-folder.ts";
import { readOwnFile } from "../store/own-file.ts";

/** The parts of a script each hold a copy of this module: what was read once counts in all of them. */
declare global {
  var consultaOwnLimits: { limits: ConfigLimits; failure?: string } | undefined;
}

/** How far the user lets projects go; see `readOwnLimits`. */
export function ownLimits(): ConfigLimits {
  return globalThis.consultaOwnLimits?.limits ?? {};
}

/** Why the user's own settings could not be read. */
export function ownLimitsFailure(): string | undefined {
  return globalThis.consultaOwnLimits?.failure;
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
    const { readLimits } = await import("./own-settings.ts");
    globalThis.consultaOwnLimits = { limits: await readLimits(process.env) };
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    globalThis.consultaOwnLimits = { limits: {}, failure: cause.message };
  }
}
