import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import type { Config } from "../protocol/config.ts";
import type { KindTraits, SessionStatus } from "../protocol/protocol.ts";

/** What a run may use. */
export interface RunBounds {
  /** How many turns it may give; a turn with its second try is one. */
  readonly turnsMax: number;
  readonly timeLimitMs: number;
  /** 0: a turn may take as long as the run. */
  readonly turnTimeoutMs: number;
}

/** The bounds as somebody wrote them. */
export interface WrittenBounds {
  readonly turnsMax: string | undefined;
  readonly timeLimitSeconds: string | undefined;
  readonly turnTimeoutSeconds: string | undefined;
}

/** Timers of Node end here, at 24.8 days. */
const secondsMax = 2_147_483;
const defaultTimeLimitSeconds = 3_600;

/** The bounds of a run as far as the command line tells. */
export interface ParsedBounds {
  readonly timeLimitMs: number;
  /** Completes them for a session. */
  complete(
    config: Config,
    standing: Pick<SessionStatus, "hasTurns" | "participants">,
    turnsMaxOf: KindTraits["turnsMax"],
  ): RunBounds;
}

/**
 * Reads the bounds of a run.
 * @throws ConsultaError REFUSED when one is no such number.
 */
export function parseBounds(written: WrittenBounds): ParsedBounds {
  const turnsMax = readCount("--turns-max", written.turnsMax);
  const timeLimit = readNumber("--time-limit", written.timeLimitSeconds, 0.001, secondsMax);
  const turnTimeout = readNumber("--turn-timeout", written.turnTimeoutSeconds, 0, secondsMax);
  const timeLimitMs = 1_000 * (timeLimit ?? defaultTimeLimitSeconds);
  return {
    timeLimitMs,
    complete: (config, standing, turnsMaxOf) => ({
      turnsMax: turnsMax ?? turnsMaxOf(config.max_rounds, standing.participants.length),
      timeLimitMs,
      turnTimeoutMs: 1_000 * (turnTimeout ?? defaultTurnSeconds(config, standing)),
    }),
  };
}

/**
 * The default limit of one turn. A kind without turns (`hasTurns` is false: a board) starts each participant
 * once for all its work, so that only the time limit of the run bounds it: 0.
 */
function defaultTurnSeconds(config: Config, { hasTurns }: Pick<SessionStatus, "hasTurns">): number {
  return hasTurns ? config.message_timeout_seconds : 0;
}

function readCount(flag: string, text: string | undefined): number | undefined {
  const value = readNumber(flag, text, 1, Number.MAX_SAFE_INTEGER);
  if (value === undefined || Number.isInteger(value)) return value;
  throw new ConsultaError("REFUSED", `${flag} is ${quote(text)}, expected a whole number`);
}

function readNumber(flag: string, text: string | undefined, min: number, max: number) {
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= min && value <= max) return value;
  throw new ConsultaError(
    "REFUSED",
    `${flag} is ${quote(text)}, expected a number from ${min} to ${max}`,
  );
}
