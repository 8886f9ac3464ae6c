/**
 * The exit codes of every script: one closed table. Each `--help` prints what its script can end with;
 * where a seed fixes a code for one command, that command's own table says so.
 */
export const exitCodes = {
  OK: 0,
  NOT_YET: 1,
  REFUSED: 2,
  EXISTS: 3,
  UNAVAILABLE: 4,
  BUG: 70,
} as const;

export type ErrorCode = Exclude<keyof typeof exitCodes, "OK">;

/** What any script can end with; the rest of the table only those that say so. */
export const exitsOfAll: readonly (keyof typeof exitCodes)[] = [
  "OK",
  "REFUSED",
  "UNAVAILABLE",
  "BUG",
];

/** A code that a seed fixes for one command, or that tells more of it than the table. */
export interface OwnExitCode {
  readonly exit: number;
  /** The failures that it stands for, in place of the table's; none for an end that is no failure. */
  readonly failures: readonly (ErrorCode | "USAGE" | FailureReason)[];
  /** What the caller learns from it. */
  readonly advice: string;
}

/** What the caller of a script should do for each code. */
export const exitCodeAdvice: Record<keyof typeof exitCodes, string> = {
  OK: "ok: go on",
  NOT_YET: "not yet: the wait timed out, or there are warnings",
  REFUSED:
    "rejected: wrong usage, broken rule or bad input; nothing was written; fix it and run again",
  EXISTS: "exists: it is already there; join it",
  UNAVAILABLE:
    "unavailable: busy: again, at most three times; out of reach: do what the message says",
  BUG: "bug: report it; the stack is on stderr",
};

/** What is to do about what is busy: no agent may try for ever. */
export const tryAgain = "run the same command again, at most three times, then tell the user";

/** What went wrong, where a caller treats it in a way of its own: nothing looks at the words of a message. */
export type FailureReason =
  | "link"
  | "not text"
  | "not JSON"
  | "too deep"
  | "repeated key"
  | "not to be cited"
  | "no board"
  | "rewritten"
  | "no permission"
  | "no sockets"
  | "held";

export interface FailureDetails extends ErrorOptions {
  readonly reason?: FailureReason | undefined;
  /** Only what is wrong: the message without the path that it begins with, and without the way out. */
  readonly fault?: string | undefined;
  /** Of a key that an object has twice, its name. */
  readonly key?: string | undefined;
  readonly lines?: readonly string[];
}

/** A failure that the caller can act on; anything else that is thrown is a bug. */
export class ConsultaError extends Error {
  readonly code: ErrorCode;
  readonly reason: FailureReason | undefined;
  readonly fault: string | undefined;
  readonly key: string | undefined;
  /** The message on several lines, where one would be hard to read; printed in its place. */
  readonly lines: readonly string[];

  constructor(code: ErrorCode, message: string, details: FailureDetails = {}) {
    super(message, details);
    this.name = "ConsultaError";
    this.code = code;
    this.reason = details.reason;
    this.fault = details.fault;
    this.key = details.key;
    this.lines = details.lines ?? [];
  }
}

/** What came is not to be done as it is: the caller is told what to do otherwise. */
export function refused(message: string, details?: FailureDetails): ConsultaError {
  return new ConsultaError("REFUSED", message, details);
}

/** What is to be done cannot be done now. */
export function unavailable(message: string, details?: FailureDetails): ConsultaError {
  return new ConsultaError("UNAVAILABLE", message, details);
}
