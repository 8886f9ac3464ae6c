import type { Config } from "../core/config.ts";
import { ConsultaError } from "../core/errors.ts";
import { quote } from "../core/json.ts";
import type { Standing } from "../core/protocol.ts";

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
const usualTimeLimitSeconds = 3_600;

/** The bounds of a run as far as the command line tells. */
export interface ParsedBounds {
  readonly timeLimitMs: number;
  /** Completes them for a session. */
  complete(config: Config, standing: Pick<Standing, "kind" | "participants">): RunBounds;
}

/**
 * Reads the bounds of a run.
 * @throws ConsultaError REFUSED when one is no such number.
 */
export function parseBounds(written: WrittenBounds): ParsedBounds {
  const turnsMax = readCount("--turns-max", written.turnsMax);
  const timeLimit = readNumber("--time-limit", written.timeLimitSeconds, 0.001, secondsMax);
  const turnTimeout = readNumber("--turn-timeout", written.turnTimeoutSeconds, 0, secondsMax);
  const timeLimitMs = 1_000 * (timeLimit ?? usualTimeLimitSeconds);
  return {
    timeLimitMs,
    complete: (config, standing) => ({
      turnsMax: turnsMax ?? usualTurns(config, standing),
      timeLimitMs,
      turnTimeoutMs: 1_000 * (turnTimeout ?? usualTurnSeconds(config, standing)),
    }),
  };
}

/** A turn on a board is all the work of its agent. */
function usualTurnSeconds(config: Config, { kind }: Pick<Standing, "kind">): number {
  return kind === "findings" ? 0 : config.message_timeout_seconds;
}

function usualTurns(
  { max_rounds }: Config,
  { kind, participants }: Pick<Standing, "kind" | "participants">,
): number {
  if (kind === "findings") return participants.length;
  // Everybody has the turn once in a round; the owner's turns between the rounds come on top.
  if (kind === "collaboration") return participants.length * max_rounds + 10;
  // Every round is two turns; the question, the last AGREE and the CONSENSUS come on top.
  return 2 * max_rounds + 4;
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
