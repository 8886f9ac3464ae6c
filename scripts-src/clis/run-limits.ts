/** Bounds of the processes and answers of participants. Units come last in the names. */
export const runLimits = {
  /** What one turn may print. */
  outputBytes: 8_388_608,
  /** How much of a turn's error output is kept for the reason of a failure. */
  errorBytes: 65_536,
  /** From the polite signal to the one that cannot be refused. */
  killAfterMs: 5_000,
  /** How long the output of a process that ended is waited for: something it left may hold it. */
  drainMs: 1_000,
  /** The end of an answer that is searched for a message. */
  searchedCharacters: 2_500_000,
  /** Places in an answer that are tried as the beginning of a message. */
  searchedPlaces: 1_000,
  /** How often a text as long as the answer is walked through for them. */
  searchedTimes: 8,
  /** Reports of one answer. */
  reportsOfAnswer: 32,
  /** How much of one document, and of all together, a turn's task quotes; the rest lies on disk. */
  promptDocumentCharacters: 24_000,
  promptDocumentsCharacters: 96_000,
  /** How many turns are given at the same time where the protocol expects more. */
  turnsAtOnce: 8,
  /** What one argument of a command line holds; Linux takes 131072 bytes. */
  argumentBytes: 100_000,
  /** A reason in one line of the terminal or the log, */
  reasonCharacters: 200,
  /** one that says what to do as well, and what it quotes. */
  adviceCharacters: 500,
  quotedReasonCharacters: 150,
  /** How often a long turn says that it still runs. */
  stillRunningMs: 30_000,
} as const;
