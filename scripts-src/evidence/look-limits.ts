/** Bounds of what scripts look at and run for evidence. Units come last in the names. */
export const lookLimits = {
  /** A file that is cited or searched; larger ones are no text that somebody reads. */
  fileBytes: 8_388_608,
  /** A file that was written so lately is read twice. */
  freshMs: 100,
  /** One search. */
  searchedFiles: 20_000,
  searchedBytes: 268_435_456,
  searchMs: 20_000,
  folderLevels: 40,
  /** What is found more often says nothing. */
  foundLines: 1_000,
  /** Characters that are looked through for cited lines that moved. */
  movedCharacters: 4_194_304,
  /** A command: how long it may run, and what it may print. */
  runMs: 600_000,
  outputBytes: 8_388_608,
  /** From the polite signal to the one that cannot be refused. */
  killAfterMs: 3_000,
  /** How long the output of a command that ended is waited for: something it left may hold it. */
  drainMs: 1_000,
  /** Whether the network can be taken away, and what git says. */
  probeMs: 3_000,
  gitMs: 10_000,
  gitOutputBytes: 4_194_304,
  packedRefsBytes: 67_108_864,
  /** A question to the person at the terminal. */
  approvalMs: 300_000,
} as const;
