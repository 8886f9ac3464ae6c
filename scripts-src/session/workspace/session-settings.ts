import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ConsultaError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { readFileIfPresent } from "../../files/atomic-file.ts";
import { boundsFor } from "../../protocol/config.ts";

import type { Kind, SettingsReader } from "../../protocol/protocol.ts";
import type { Place } from "../place.ts";
import { ownLimits } from "./workspace.ts";

/** The settings that a session keeps in a file beside its log. */
export interface SettingsFile {
  readonly value: JsonObject;
  /** Differs when the settings do, not when the rest of the file does. */
  readonly key: string;
  /** The whole file; undefined when there is none or it is no text. */
  readonly text: string | undefined;
  /** Why there is no text though there is something. */
  readonly fault?: string;
}

/** A colleague with the original scripts rewrites the file in place: half of one is soon whole. */
const tornTries = 5;
const tornWaitMs = 20;

/** Reads the settings, or what bounds those that the log holds; whether they can be worked with, `fault` and the reader's `fault` tell. */
export async function readSettings(place: Place, { settings }: Kind): Promise<SettingsFile> {
  if (settings === undefined) return { value: boundsFor(ownLimits()), key: "", text: undefined };
  const path = join(place.folder, settings.file);
  for (let tries = 1; ; tries += 1) {
    const read = tryToRead(path, settings, tries === tornTries);
    if (read !== undefined) return read;
    // Seldom needed, and each start would pay for it.
    await setTimeout(tornWaitMs);
  }
}

/** Undefined where another look may find more, unless this is the last. */
function tryToRead(
  path: string,
  reader: SettingsReader,
  isLast: boolean,
): SettingsFile | undefined {
  try {
    const text = readFileIfPresent(path, limits.messageBytes);
    const value = reader.read(text);
    const usable = text === undefined || reader.fault(value) === undefined;
    return usable || isLast ? { value, key: JSON.stringify(value), text } : undefined;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    if (!isLast) return undefined;
    const value = reader.read(undefined);
    return { value, key: JSON.stringify(value), text: undefined, fault: cause.message };
  }
}
