/** What bounds the brain: its memories, its wire, and what it puts into a context. Units come last. */
export const brainLimits = {
  /** One memory, */
  memoryKeyBytes: 512,
  memoryValueBytes: 65_536,
  /** less deep than a message, which holds it, */
  memoryValueLevels: 24,
  memoryTags: 16,
  memoryTagCharacters: 64,
  /** who said it, and the id that a CLI gave its session. */
  memorySourceCharacters: 128,
  brainSessionCharacters: 128,
  /** Where its transcript is. */
  pathCharacters: 4_096,
  /** What is learned of a session in one memory. */
  learnedCharacters: 2_000,
  /** All memories of a project. */
  memories: 2_000_000,
  /** A database above this has no backups: while one is made, nobody is answered. */
  brainBackupBytes: 268_435_456,
  /** Memories that one call lists or finds. */
  memoriesListed: 1_000,
  /** Different words of a query that are looked up; a prompt says what it is about early. */
  queryTerms: 32,
  /** Memories that are put into a session unasked, for one prompt. */
  relevantMemories: 3,
  /** How many sessions are remembered. */
  snapshots: 200,
  /** What was injected, of all sessions; the oldest is dropped first. */
  injections: 10_000,
  eventBytes: 4_096,
  /** Events that no session took yet; further ones are refused. */
  eventsPending: 1_000,
  /** Events that were taken; the oldest are dropped first. */
  eventsDelivered: 1_000,
  /** One message on the wire, except the one that brings material to digest. */
  frameBytes: 1_048_576,
  /** A frame with material for `data.process`: all of it, escaped as JSON, with room around. */
  bulkFrameBytes: 25_165_824,
  /** A message may come in pieces, but not in endless ones. */
  frameFragments: 4_096,
  batchMessages: 64,
  /** Requests of one connection that are not answered yet. */
  openRequests: 64,
  /** A CLI that stands idle keeps one, to be woken by. */
  connections: 32,
  /** Of those, so that what the other sessions do finds a way in: who has waited longest gives way. */
  waiters: 24,
  /** Connections that have not shown a token yet. */
  strangers: 32,
  /** What waits for a client that does not read before it is cut off. */
  unsentBytes: 33_554_432,
  idCharacters: 256,
  queryCharacters: 32_768,
  matches: 20,
  listed: 500,
  importedLines: 1_000,
  /** What one answer brings of a list that is long; the rest comes with the next call. */
  pageBytes: 1_048_576,
  patternCharacters: 512,
  /** What one field of a session's context may bring, and what a snapshot keeps of it. */
  contextTextCharacters: 262_144,
  snapshotFieldCharacters: 4_096,
  /** All that one answer to a hook puts into a context: Claude Code cuts at 10,000, bells included. */
  injectionCharacters: 8_400,
  restoreCharacters: 6_000,
  relevantCharacters: 4_000,
  /** How much of one snapshot field is given back. */
  restoreFieldCharacters: 2_000,
  restoreDays: 14,
  /** What a delegate is given in all; Gemini CLI silently drops what is above it. */
  dataBytes: 8_388_608,
  delegateOutputBytes: 4_194_304,
} as const;
