import { integerBetween, list, numberBetween, record, words } from "../../base/schema.ts";
import { readSection, wrongSettings } from "../../clis/user-settings.ts";
import { defaultThresholds, type Thresholds } from "../rules/alerts.ts";

type Environment = Readonly<Record<string, string | undefined>>;

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

/**
 * Reads the section `brain` of the user's own settings.
 * @throws ConsultaError REFUSED when the file is wrong: a setting without effect misleads.
 */
export async function readUserSettings(environment: Environment): Promise<UserSettings> {
  const given = (await readSection(environment, "brain", record(fields), {})) ?? {};
  const { delegate, timeout_seconds: seconds = 120, chunk_bytes: chunkBytes = 2_000_000 } = given;
  return {
    delegate,
    delegateTimeoutMs: seconds * 1_000,
    chunkBytes,
    thresholds: thresholdsOf(given.thresholds ?? {}),
  };
}

function thresholdsOf(given: Partial<Record<keyof Thresholds, number | undefined>>): Thresholds {
  const thresholds: Thresholds = {
    memory_full: given.memory_full ?? defaultThresholds.memory_full,
    hallucination_risk: given.hallucination_risk ?? defaultThresholds.hallucination_risk,
  };
  if (thresholds.memory_full < thresholds.hallucination_risk) return thresholds;
  const { hallucination_risk: risk } = thresholds;
  throw wrongSettings([
    `brain.thresholds.memory_full has to be below hallucination_risk (${risk})`,
  ]);
}
