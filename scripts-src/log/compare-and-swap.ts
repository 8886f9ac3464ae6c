import { closeSync, constants, fdatasyncSync, fstatSync } from "node:fs";
import {
  discard,
  HeldFolder,
  openRegularFile,
  readBytes,
  refuseOtherNames,
  syncFolder,
  writeBytes,
} from "../files/safe-open.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { type Commit, CommitFolder, isCommitMarked, markCommit } from "./commit-folder.ts";
import type { LogEvent } from "./event.ts";
import { readLineBefore } from "./log-checkpoint.ts";
import { bareLine, chainedLine } from "./log-line.ts";
import { type LogPage, type LogPosition, readLogPage } from "./log-page.ts";

/** Where one log lives. */
export interface LogHome {
  readonly folder: string;
  readonly log: string;
  readonly durable: boolean;
  /** Others write it as well; see `LogForm`. */
  readonly shared: boolean;
}

/** One append under way. */
interface Append {
  readonly home: LogHome;
  readonly after: LogPosition;
  /** The open file of the log. */
  readonly logFile: number;
  /** The folder of the commits. */
  readonly hold: HeldFolder;
  readonly commits: CommitFolder;
}

/**
 * Appends without a lock: the writer that links the commit file of a seq has that seq, and every process may
 * finish a commit, since all write the same bytes at the same offset.
 *
 *   draft --link()--> commit --write--> in the log --fdatasync--> acknowledged --unlink--> (gone)
 *     |                  |
 *     | EEXIST           | the log holds another event of this seq: the link came too late
 *     v                  v
 *   help the commit    unlink it: lost
 *
 * A commit may be unlinked once its line is durable. A writer that was paused before its link()
 * can then link the same name again, stale; and a helper that was paused after reading a commit
 * holds one that is long done. So each of them reads the log again after its link or its look,
 * and writes only if the seq is still free. Without either re-read events are lost.
 *
 * A writer whose seq is taken when it looks again has won all the same if a helper wrote its commit.
 * The bytes do not tell: another writer may have stored an equal event. So a helper marks the file of
 * the commit before it writes, and only the writer of that file, who holds it open, looks for the mark.
 *
 * While a log has no event, no script of this user can have made a commit of a later seq than 1: it came
 * with the folder, and to help it would put somebody else's event into the log that the user begins. It is
 * rejected. A commit of seq 1 may be of a writer of ours that died, and is helped; where it is not ours, the
 * folder has no mark for that first line (`created-locally.ts`), so the log does not count as the user's.
 *
 * Returns the place after it, or undefined when another writer took that. Pauses wherever
 * another process may act; tests step through it.
 */
export function* appendSteps(
  home: LogHome,
  after: LogPosition,
  event: LogEvent,
): Generator<string, LogPosition | undefined> {
  const folder = ensureFolder(home.folder, ".commits");
  const hold = new HeldFolder(folder);
  try {
    yield "open";
    const logFile = openRegularFile(home.log, constants.O_RDWR | constants.O_CREAT);
    try {
      refuseOtherNames(home.log, fstatSync(logFile));
      const line = chainedLine(event, lineBefore(logFile, after));
      const commits = new CommitFolder(hold.at, folder);
      return yield* swap({ home, after, logFile, hold, commits }, line);
    } finally {
      closeSync(logFile);
    }
  } catch (error) {
    throw hold.failure(error);
  } finally {
    hold.release();
  }
}

/** The line that ends at a place; others' logs may have blank ones there. */
function lineBefore(logFile: number, { offset }: LogPosition): Uint8Array | undefined {
  for (let end = offset; end > 0; ) {
    const line = readLineBefore(logFile, end);
    if (line === undefined) return undefined;
    const bare = bareLine(line);
    if (bare.length > 0) return bare;
    end -= line.length;
  }
  return undefined;
}

function* swap(append: Append, line: string): Generator<string, LogPosition | undefined> {
  const { after, commits } = append;
  const seq = after.seq + 1;
  yield "list";
  const named = commits.list();
  yield "look";
  const tail = readTail(append);
  if (tail.events.length > 0) return undefined;
  // The commits were listed before this look, which found no event: no writer of ours can have made one of
  // a later seq by then.
  const early = seq === 1 ? named.find((it) => it > seq) : undefined;
  if (early !== undefined) throw commits.early(early);
  const commit = makeCommit(seq, tail, line);
  // `turn` is the number of the next free name of the seq: torn commits keep theirs (`CommitFolder`).
  const { turn, commit: other } = named.includes(seq) ? commits.find(seq) : { turn: 0 };
  const own = other === undefined ? yield* claim(append, commit, turn) : undefined;
  if (own === undefined) {
    yield* help(append, seq);
    return undefined;
  }
  try {
    // Where the folder was replaced meanwhile, our commit is in the old one, and another writer could claim
    // the same seq in the new one.
    if (!append.hold.isInPlace()) throw append.hold.moved();
    yield "look again";
    if (readTail(append).events.length > 0 && !isCommitMarked(own)) {
      commits.remove(seq);
      return undefined;
    }
    yield* store(append, commit, named);
    return { seq, offset: commit.offset + commit.bytes.length };
  } finally {
    closeSync(own);
  }
}

function readTail({ logFile, home, after }: Append): LogPage {
  return readLogPage(logFile, home.log, after, home);
}

/**
 * The bytes close an open line before them and reach, padded with spaces, over a torn one. Nobody
 * truncates the log: another writer may already have gone on.
 */
function makeCommit(seq: number, tail: LogPage, line: string): Commit {
  const before = tail.endsLine ? "" : "\n";
  const bare = Buffer.byteLength(before + line) + 1;
  const padding = " ".repeat(Math.max(0, tail.junkBytes - bare));
  return { seq, offset: tail.place.offset, bytes: Buffer.from(`${before}${line}${padding}\n`) };
}

/** Returns the open file of the commit; undefined when another writer has the name. */
function* claim(
  { commits }: Append,
  commit: Commit,
  turn: number,
): Generator<string, number | undefined> {
  yield "draft";
  const draft = commits.draft(commit);
  let claimed = false;
  try {
    yield "link";
    claimed = commits.claim(commit.seq, turn, draft.path);
    return claimed ? draft.file : undefined;
  } finally {
    discard(draft.path);
    if (!claimed) closeSync(draft.file);
  }
}

/** Finishes the commit of a writer that is slow or dead; does nothing when it is done. */
function* help(append: Append, seq: number): Generator<string, void> {
  const { logFile, commits } = append;
  yield "read commit";
  const found = commits.open(seq);
  if (found === undefined) return;
  const { commit, file } = found;
  try {
    yield "look again";
    const tail = readTail(append);
    if (tail.events.length > 0) return;
    if (!fits(commit, tail)) throw commits.damaged(seq);
    yield "mark";
    markCommit(file);
    yield "write";
    writeBytes(logFile, commit.bytes, commit.offset);
    yield "sync";
    sync(append, [seq]);
    yield "unlink";
    commits.remove(seq);
  } finally {
    closeSync(file);
  }
}

/** A commit that would land anywhere but after the last event must not be written. */
function fits(commit: Commit, tail: LogPage): boolean {
  const lineStart = commit.offset + (commit.bytes[0] === 0x0a ? 1 : 0);
  return lineStart === tail.place.offset + (tail.endsLine ? 0 : 1);
}

/**
 * Writes a commit, makes it durable and clears it away, with those left by earlier writers. A
 * failure leaves the commit: the next writer finishes it.
 */
function* store(append: Append, commit: Commit, named: number[]): Generator<string, void> {
  const { logFile, commits } = append;
  const earlier = named.filter((seq) => seq < commit.seq);
  yield "write";
  for (const seq of earlier) writeAgain(append, seq);
  writeBytes(logFile, commit.bytes, commit.offset);
  yield "sync";
  sync(append, [...earlier, commit.seq]);
  yield "unlink";
  for (const seq of [...earlier, commit.seq]) commits.remove(seq);
}

/**
 * An earlier commit that is still there may belong to a writer whose fdatasync failed, and a
 * later fdatasync would not write those bytes: the system takes them for written. The same bytes
 * written again are covered by ours.
 */
function writeAgain({ logFile, commits }: Append, seq: number): void {
  const { commit } = commits.find(seq);
  if (commit === undefined || !isStored(logFile, commit)) return;
  writeBytes(logFile, commit.bytes, commit.offset);
}

/** True when the log holds the bytes of a commit, or ends within them. */
function isStored(logFile: number, { bytes, offset }: Commit): boolean {
  const found = readBytes(logFile, offset, bytes.length);
  return found.length > 0 && found.equals(bytes.subarray(0, found.length));
}

/** After a failure nothing is tried again: the bytes may be gone though a second call says ok. */
function sync({ home, logFile }: Append, seqs: number[]): void {
  if (!home.durable) return;
  fdatasyncSync(logFile);
  // The first event of a log makes the file; its name has to last as well.
  if (seqs.includes(1)) syncFolder(home.folder);
}
