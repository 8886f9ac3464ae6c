import { refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import type { Session } from "../session/session.ts";

/** What a run may use. */
export interface RunBounds {
  /** How many turns it may give; a turn with its second try is one. */
  readonly turnsMax: number;
  readonly timeLimitMs: number;
  /** 0: a turn may take as long as the run. */
  readonly turnTimeoutMs: number;
}

/** The bounds as far as the command line tells. */
type AskedBounds = Pick<RunBounds, "timeLimitMs"> & {
  readonly turnsMax: number | undefined;
  readonly turnTimeoutMs: number | undefined;
};

/** Timers of Node end here, at 24.8 days. */
const secondsMax = 2_147_483;
const defaultTimeLimitSeconds = 3_600;

/**
 * Reads the bounds of a run; `written` gives an option as somebody wrote it.
 * @throws ConsultaError REFUSED when one is no such number.
 */
export function parseBounds(written: (option: string) => string | undefined): AskedBounds {
  const read = (option: string, min: number, max: number): number | undefined => {
    const text = written(option);
    if (text === undefined) return undefined;
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value >= min && value <= max) return value;
    throw refused(`--${option} is ${quote(text)}, expected a number from ${min} to ${max}`);
  };
  const turnsMax = read("turns-max", 1, Number.MAX_SAFE_INTEGER);
  if (turnsMax !== undefined && !Number.isInteger(turnsMax))
    throw refused(`--turns-max is ${turnsMax}, expected a whole number`);
  const timeLimit = read("time-limit", 0.001, secondsMax) ?? defaultTimeLimitSeconds;
  const turnTimeout = read("turn-timeout", 0, secondsMax);
  return {
    turnsMax,
    timeLimitMs: 1_000 * timeLimit,
    turnTimeoutMs: turnTimeout === undefined ? undefined : 1_000 * turnTimeout,
  };
}

/** The bounds of a run of this session. A kind without turns starts each participant once for all its work. */
export function boundsOf(
  { place, kind, state }: Session,
  { turnsMax, timeLimitMs, turnTimeoutMs }: AskedBounds,
): RunBounds {
  const { participants, hasTurns } = kind.standing(state);
  const { max_rounds: rounds, message_timeout_seconds: seconds } = place.config;
  return {
    turnsMax: turnsMax ?? kind.traits.turnsMax(rounds, participants.length),
    timeLimitMs,
    turnTimeoutMs: turnTimeoutMs ?? (hasTurns ? 1_000 * seconds : 0),
  };
}
