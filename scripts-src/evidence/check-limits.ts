/** Bounds of what scripts look at and run for evidence. Units come last in the names. */
export const checkLimits = {
  /** A file that is cited or searched; nobody reads larger ones. */
  fileBytes: 8_388_608,
  /** A file that was written less than this ago is read twice. */
  freshMs: 100,
  /** What one search may read. */
  searchedFiles: 20_000,
  searchedBytes: 268_435_456,
  searchMs: 20_000,
  folderLevels: 40,
  /** The most hits of a search; what is found more often proves nothing, and is refused. */
  foundLines: 1_000,
  /** The files in which the words are counted that a claim expects. */
  countedFiles: 1_000,
  /** What is looked at to see whether something changed in a project, how large such a file is, and how many tell it. */
  changeLooks: 5_000,
  changedBytes: 8_388_608,
  changedFiles: 4,
  /** How much text is searched for cited lines that moved. */
  movedCharacters: 4_194_304,
  /** A command: how long it may run, and what it may print. */
  runMs: 600_000,
  outputBytes: 8_388_608,
  /** From SIGTERM to SIGKILL. */
  killAfterMs: 3_000,
  /** How long to wait for the output of a command that has ended: a child of it may hold the pipe. */
  drainMs: 1_000,
  /** Finding out whether a command can run without the network. */
  probeMs: 3_000,
  /** Git, and the files of it that are read. */
  gitMs: 10_000,
  gitOutputBytes: 4_194_304,
  packedRefsBytes: 67_108_864,
  /** How long the person has to answer a question at the terminal. */
  approvalMs: 300_000,
} as const;
