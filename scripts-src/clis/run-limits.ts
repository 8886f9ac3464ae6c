/** Bounds of the processes and answers of participants. Units come last in the names. */
export const runLimits = {
  /** A question as JSON, with room left for the message that asks it. */
  questionBytes: 1_047_552,
  /** What one turn may print. */
  outputBytes: 8_388_608,
  /** How much of a turn's error output is kept for the reason of a failure. */
  errorBytes: 65_536,
  /** What an audit may take. */
  auditMs: 300_000,
  /** From SIGTERM to SIGKILL. */
  killAfterMs: 5_000,
  /** How long an agent of the Agent Client Protocol may take to begin a conversation. */
  acpStartMs: 120_000,
  /** After so long without more of it the history of a conversation is complete. */
  acpQuietMs: 150,
  /** How long it may take to end a turn that is cancelled, and then to end itself. */
  acpCancelMs: 500,
  acpEndMs: 1_000,
  /** How long to wait for the output of a process that has ended: a child of it may hold the pipe. */
  drainMs: 1_000,
  /** How much of an answer, from its end, is searched for a message. */
  searchedCharacters: 2_500_000,
  /** Findings in one answer. */
  reportsOfAnswer: 32,
  /** How much of one document a turn's task quotes; the agent reads the rest on disk. */
  promptDocumentCharacters: 24_000,
  /** The same for all documents together. */
  promptDocumentsCharacters: 96_000,
  /** How many turns run at the same time. */
  turnsAtOnce: 8,
  /** The longest argument of a command line; Linux takes 131072 bytes. */
  argumentBytes: 100_000,
  /** The reason of a failure, as one line of the terminal or the log. */
  reasonCharacters: 200,
  /** The same with what to do about it. */
  adviceCharacters: 500,
  /** The words of the CLI that such a line quotes. */
  quotedReasonCharacters: 150,
  /** How often a long turn says that it still runs. */
  stillRunningMs: 30_000,
} as const;
