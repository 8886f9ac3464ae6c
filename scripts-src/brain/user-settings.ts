import { homedir } from "node:os";
import { join } from "node:path";
import { defaultThresholds, type Thresholds } from "../core/brain/alerts.ts";
import { ConsultaError } from "../core/errors.ts";
import { isRecord, type JsonValue, quote } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { integerBetween, list, numberBetween, record, words } from "../core/schema.ts";
import { readFileIfPresent } from "../store/atomic-file.ts";

/** The user's own settings of the brain; nothing in a repository can change them. */
export interface UserSettings {
  /** The headless CLI as an argument list; none switches it off; undefined: what is installed. */
  readonly delegate: readonly string[] | undefined;
  readonly delegateTimeoutMs: number;
  /** What one call of the delegate is given at most. */
  readonly chunkBytes: number;
  readonly thresholds: Thresholds;
}

const fields = {
  delegate: list(words(1_024), 32),
  timeout_seconds: numberBetween(0.1, 3_600),
  chunk_bytes: integerBetween(1_000, 8_000_000),
  thresholds: record({
    memory_full: numberBetween(1, 100),
    hallucination_risk: numberBetween(1, 100),
  }),
};

/** `~/.consulta/config.yaml`, the section `brain`. */
export function settingsPath(): string {
  return join(homedir(), ".consulta", "config.yaml");
}

/** @throws ConsultaError REFUSED when the file is wrong: a setting without effect misleads. */
export async function readUserSettings(path = settingsPath()): Promise<UserSettings> {
  const text = readFileIfPresent(path, limits.messageBytes);
  const section = text === undefined ? undefined : await sectionIn(text, path);
  const faults = { found: [], strict: true };
  const given = record(fields)(section ?? {}, "brain", faults) ?? {};
  if (faults.found.length > 0) {
    throw new ConsultaError("REFUSED", `${path}: ${faults.found.join("; ")}; correct the file`);
  }
  const { delegate, timeout_seconds: seconds = 120, chunk_bytes: chunkBytes = 2_000_000 } = given;
  return {
    delegate,
    delegateTimeoutMs: seconds * 1_000,
    chunkBytes,
    thresholds: thresholdsOf(given.thresholds ?? {}, path),
  };
}

async function sectionIn(text: string, path: string): Promise<JsonValue | undefined> {
  const { parseStrictYaml } = await import("../app/strict-yaml.ts");
  const value = parseStrictYaml(text, path);
  if (value === null) return undefined;
  if (isRecord(value)) return value["brain"] ?? undefined;
  throw new ConsultaError("REFUSED", `${path} is ${quote(value)}, expected names with values`);
}

function thresholdsOf(given: Partial<Record<keyof Thresholds, number | undefined>>, path: string) {
  const thresholds: Thresholds = {
    memory_full: given.memory_full ?? defaultThresholds.memory_full,
    hallucination_risk: given.hallucination_risk ?? defaultThresholds.hallucination_risk,
  };
  if (thresholds.memory_full < thresholds.hallucination_risk) return thresholds;
  throw new ConsultaError(
    "REFUSED",
    `${path}: memory_full has to be below hallucination_risk (${thresholds.hallucination_risk})`,
  );
}
