/** What bounds a session that several machines share. */
export const remoteLimits = {
  /** All documents of a session together, and how many there may be. */
  documentsBytes: 33_554_432,
  documents: 1_000,
  /** What git may print of the tree of an event: all paths that there may be, with the folders above them. */
  treeBytes: 8_388_608,
  /** How long one call of git may take; a first fetch takes longer. */
  callMs: 60_000,
  fetchMs: 600_000,
  /** So many packs in a repository of ours are made one, in at most so long. */
  packs: 50,
  mergeMs: 60_000,
  /** After its end a program is listened to for so long. */
  leftOpenMs: 250,
  /** How long a host is asked whether anybody can read it. */
  publicLookMs: 10_000,
  /** How long a list of sessions may take. */
  lookMs: 20_000,
  /** How long a member of etcd may take to answer, so many events are read at once, and parts of documents have so many bytes. */
  etcdMs: 10_000,
  /** So long it may take to begin while there are others to ask. */
  etcdSilentMs: 3_000,
  /** So long it may take until it is reached at all: each script may come upon one that is cut off. */
  etcdConnectMs: 2_000,
  etcdTries: 8,
  etcdEvents: 32,
  etcdPartBytes: 524_288,
  /** What git or etcd may print: the lines of a long session come in parts. */
  outputBytes: 67_108_864,
  /** So much of what git says about a failure is told. */
  faultCharacters: 300,
  /** A push that fails although nobody was faster is tried again so often. */
  pushTries: 4,
  /** After the first lost race a writer waits up to so long, then twice that, and so on. */
  backOffMs: 25,
  backOffMsMax: 2_000,
  /** How often a session is looked at while somebody waits: soon after a change, and later. */
  hotMs: 2_000,
  coldMs: 30_000,
  /** So long after a change it counts as one where more is to come. */
  hotForMs: 120_000,
  /** Where it is out of reach, at most so long between two tries. */
  lostMsMax: 120_000,
  /** A waiting process whose sign of life is older is taken for dead. */
  watcherMs: 90_000,
  /** Of a session's store, the file that says where it is. */
  entryBytes: 65_536,
  /** The list of the documents that were put into a folder. */
  placedBytes: 1_048_576,
  /** What is remembered of a session in etcd: its last event and the versions of its documents. */
  seenBytes: 1_048_576,
  /** Sessions of a remote that are told of. */
  sessionsTold: 50,
} as const;
