/** Every size, count and wait that Consulta bounds. Units come last in the names. */
export const limits = {
  /** A message, a document, or any other file that is read whole. */
  messageBytes: 1_048_576,
  /** One stored line: a message of the largest size with its envelope. */
  eventLineBytes: 1_310_720,
  /** How much of standard input is read at once. */
  inputChunkBytes: 65_536,
  /** A file of git that holds one path. */
  gitFileBytes: 65_536,
  /** The files of a recorded session that is played: how many, folders among them, and all of them together. */
  /** Pieces of structure in a YAML text, before it is parsed; a block of text is one. */
  yamlTokens: 50_000,
  /** List and key signs in a row, each of which opens a level: the parser would end the process. */
  yamlSignsInRow: 200,
  /** Nesting of parsed input. */
  depthLevels: 32,
  /** Unknown fields of one object that a refusal names; the others are counted. */
  unknownFieldsTold: 20,
  /** Entries of one list in a message. */
  listItems: 200,
  /** Length of one list entry. */
  itemCharacters: 4_000,
  participantCharacters: 64,
  /** Participants of one collaboration. */
  collaborationParticipants: 64,
  /** A participant's name in a collaboration folder, which originals may share. */
  collaborationNameCharacters: 128,
  /** Agents of one board of findings. */
  boardAgents: 64,
  /** Findings are numbered up to here; a higher number was made by hand and is not counted on from. */
  findingNumber: 99_999,
  /** How long after the first registration a board waits for the others, unless told (seed 004). */
  boardTimeoutSeconds: 120,
  boardTimeoutSecondsMax: 604_800,
  /** What the log keeps of one report beside its text. */
  findingContentBytes: 524_288,
  /** All files that the reports of a board cite are watched together up to this size. */
  citedFilesBytes: 67_108_864,
  /** How much of all reports `read-all` quotes unless told; the rest is named by path. */
  readAllCharacters: 100_000,
  sessionIdCharacters: 64,
  summaryCharacters: 200,
  topicCharacters: 1_000,
  /** How much of a message `next-action` quotes; the rest is named by path. */
  quoteCharacters: 6_000,
  /** How much it quotes of all messages together, and of each at least. */
  quotesCharacters: 24_000,
  leastQuoteCharacters: 600,
  /** Of many open questions, claims and the like so many are shown; the rest is named by id. */
  pointsShown: 12,
  /** Points of one section of a report, and how much of each is shown. */
  reportPoints: 40,
  reportPointCharacters: 500,
  /** Messages of which a report tells how they went, and how they came to their recipients. */
  reportMessages: 100,
  /** Letters that were refused and are named one by one; the rest is counted. */
  rejectedTold: 5,
  /** Unanswered messages that are remembered for one participant; older ones are counted. */
  unreadMessages: 16,
  /** Cited tool results, accepted points and artifacts that are remembered to spot repetitions. */
  rememberedItems: 128,
  /** Events read at once. */
  pageBytes: 4_194_304,
  /** The newest events that a report tells of, and in how many pages they are kept at most. */
  storyEvents: 5_000,
  storyPages: 8,
  /** A log up to this size is read whole to say, to who may append what needs it, whether the session validates. */
  guidedLogBytes: 524_288,
  /** Events that documents are compared with, and faults of one session that are told. */
  inspectedEvents: 100_000,
  faultsTold: 1_000,
  /** How often a session is looked at while others change it, and its views written again. */
  viewRounds: 20,
  /** Sessions that one running CLI is remembered to take part in. */
  seatsOfOneCli: 64,
  /** How long `--follow` goes on unless told: Claude Code's Monitor tool ends a command after 30 min. */
  followSeconds: 1_740,
  /** What a hook puts before a model at most. */
  hookLines: 15,
  hookCharacters: 1_500,
  /** How long a file that does not parse may still be being written by hand or by a foreign script, */
  youngFileMs: 2_000,
  /** and how soon and how often what cannot be read is looked at again. */
  tornLookMs: 500,
  tornLooks: 10,
  /** How often a writer that lost its place decides again before it gives up. */
  appendTries: 400,
  /** Letters that one look takes out of an inbox. */
  inboxFiles: 200,
  /** Messages of a colleague by hand that are taken in one turn of its peer; further ones wait. */
  lettersInTurn: 4,
  /** Letters that came too early and are kept in one inbox. */
  lettersWaiting: 16,
  /** The sender's answer to the question, in one sentence. */
  positionCharacters: 200,
  /** The text for the user that an AGREE carries: the state keeps it until the other side confirms it. */
  decisionCharacters: 32_000,
  /** Records, claims, positions and marks of a dialogue that its state remembers, the newest. */
  evidenceKept: 200,
  claimsKept: 400,
  positionsKept: 128,
  marksKept: 64,
  reservationsKept: 64,
  /** Words of the person that wait for a participant, and keys of the person's acts that are known again. */
  wordsWaiting: 16,
  keysKept: 64,
  keyCharacters: 64,
  /** Participants whose last act is remembered, so that a word is known to be heeded. */
  actorsKept: 128,
  progressBudget: 5,
  failedSyntheses: 2,
  objectionStreak: 3,
  findingTopicCharacters: 100,
  findingPathCharacters: 1_024,
  /** What is kept of one report: lines it cites, files it lists, and the like. */
  citations: 64,
  /** Of what a review cites and nobody finds, how much is told. */
  absentCitations: 8,
  listedFiles: 200,
  workingDirectories: 32,
  relations: 32,
  /** What the report of a board tells: reports of each agent, the newest, and files that several are about. */
  findingsReported: 100,
  conflictsReported: 200,
  /** Of more sessions than these, only what changed lately or is open is looked at, */
  sessionsFew: 64,
  /** at most so many in one go; that the others have ended is remembered. */
  sessionsLooked: 256,
  endedSessions: 50_000,
  endedFileBytes: 8_388_608,
  /** Sessions that one start removes because they ended long ago. */
  sweptSessions: 64,
  /** Sessions that an error names. */
  sessionsNamed: 20,
  /** Sessions whose topics `next-action` compares with that of a new one; the latest count, */
  comparedSessions: 2_000,
  /** those of a like topic that it looks into, and those that it names. */
  likeSessions: 12,
  earlierDecisions: 3,
  /** Words of a topic that count. */
  topicWords: 48,
} as const;
