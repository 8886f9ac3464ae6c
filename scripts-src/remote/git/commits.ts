import { isUtf8 } from "node:buffer";
import { quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { documentsFault, lineFault, senderOf } from "../incoming.ts";
import { remoteLimits } from "../limits.ts";
import {
  type Arrival,
  changeOf,
  type DocumentChange,
  type RemoteStore,
  type StoredDocument,
} from "../remote-store.ts";
import { type CommitSignatures, isSigned } from "./commit-signatures.ts";
import type { Git } from "./run-git.ts";
import { hostileCommit } from "./session-refs.ts";

/** One event as a commit has it. */
export interface EventCommit {
  readonly id: string;
  readonly seq: number;
  readonly line: string;
}

/** Beside the line a commit names its tree, its parent and who wrote it when. */
const headerBytes = 4_096;
const commitBytes = limits.eventLineBytes + headerBytes;
/** So much of commits is read at once. */
const partBytes = 33_554_432;

export const commitName = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Reads commits, which `git rev-list` gave as `id parent`, oldest first, as the events after `before`;
 * with `signatures` each has to prove who wrote it.
 * @throws ConsultaError REFUSED for the first that no script of Consulta wrote, or its sender did not.
 */
export async function readCommits(
  git: Git,
  listed: readonly string[],
  before: EventCommit | undefined,
  signatures?: CommitSignatures,
): Promise<EventCommit[]> {
  const ids = listed.map((it) => it.split(" ", 1)[0] ?? "");
  const sizes = await sizesOf(git, ids);
  const commits: EventCommit[] = [];
  let last = before;
  for (const part of partsOf(sizes)) {
    const objects = await objectsOf(git, part);
    for (const { id, bytes } of objects) {
      last = eventIn(id, bytes, last);
      await signatures?.check(id, bytes, senderOf(last.line));
      commits.push(last);
    }
  }
  return commits;
}

/** Whether the session of this first event has its events signed. */
export async function beginsSigned(git: Git, first: string): Promise<boolean> {
  const [object] = await objectsOf(git, [first]);
  return object !== undefined && isSigned(object.bytes);
}

function partsOf(sizes: ReadonlyMap<string, number>): string[][] {
  const parts: string[][] = [];
  let bytes = partBytes;
  for (const [id, size] of sizes) {
    if (size > commitBytes) {
      throw hostileCommit(id, `has ${size} bytes; the limit is ${commitBytes}`);
    }
    if (bytes + size > partBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(id);
    bytes += size;
  }
  return parts;
}

async function sizesOf(git: Git, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const words = ["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"];
  const lines = await git.lines(words, `${ids.join("\n")}\n`);
  return new Map(
    lines.map((line) => {
      const [id = "", type = "", size = ""] = line.split(" ");
      if (type !== "commit") throw hostileCommit(id, `is ${type || "missing"}, expected a commit`);
      return [id, Number(size)];
    }),
  );
}

interface GitObject {
  readonly id: string;
  readonly bytes: Buffer;
}

/** The objects that `git cat-file --batch` prints: a line with the size before each. */
export async function objectsOf(git: Git, ids: readonly string[]): Promise<GitObject[]> {
  if (ids.length === 0) return [];
  const printed = await git.ask(["cat-file", "--batch"], `${ids.join("\n")}\n`);
  const objects: GitObject[] = [];
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf(0x0a, at);
    const [id = "", , size = ""] = printed.toString("latin1", at, end).split(" ");
    const from = end + 1;
    const to = from + Number(size);
    objects.push({ id, bytes: printed.subarray(from, to) });
    at = to + 1;
  }
  return objects;
}

/** A commit is sound when our scripts would have written these very bytes after the one before it. */
function eventIn(id: string, bytes: Buffer, before: EventCommit | undefined): EventCommit {
  const head = bytes.indexOf("\n\n");
  const headers = bytes.toString("latin1", 0, Math.max(0, head)).split("\n");
  const parents = headers.filter((it) => it.startsWith("parent ")).map((it) => it.slice(7));
  if (parents.length > 1) throw hostileCommit(id, "is a merge");
  if ((parents[0] ?? "") !== (before?.id ?? ""))
    throw hostileCommit(id, "does not follow the one before");
  const message = bytes.subarray(head + 2);
  if (head < 0 || !isUtf8(message)) throw hostileCommit(id, "is not UTF-8");
  const text = message.toString("utf8");
  const line = text.endsWith("\n") ? text.slice(0, -1) : text;
  const seq = (before?.seq ?? 0) + 1;
  const fault = lineFault(line, seq, before?.line ?? "");
  if (fault !== undefined) throw hostileCommit(id, fault);
  return { id, seq, line };
}

/**
 * The documents in the tree of a commit.
 * @throws ConsultaError REFUSED for a tree that no script of Consulta wrote: links, other
 * repositories, names that lead elsewhere, too much of it.
 */
export async function documentsIn(git: Git, commit: string): Promise<StoredDocument[]> {
  const entries = await entriesIn(git, commit);
  const documents = entries.flatMap((entry) => {
    const [, mode, type, version = "", size, path = ""] =
      /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(entry) ?? [];
    if (type === "tree") return [];
    if (type !== "blob" || mode !== "100644")
      throw hostileCommit(commit, `has ${quote(path)}, which is no plain file (${mode} ${type})`);
    return [{ path, version, bytes: Number(size) }];
  });
  const fault = documentsFault(documents);
  if (fault !== undefined) throw hostileCommit(commit, fault);
  return documents.map(({ path, version }) => ({ path, version }));
}

/**
 * The lines of `git ls-tree`. Folders are among them, so that what it may print bounds what it walks: a few
 * objects can name a folder within a folder a billion times.
 */
async function entriesIn(git: Git, commit: string): Promise<string[]> {
  const words = ["ls-tree", "-r", "-t", "-z", "-l", "--full-tree", commit];
  const outputBytes = remoteLimits.treeBytes;
  const end = await git.run({ words, outputBytes });
  if (end.isTooMuch)
    throw hostileCommit(commit, `names its paths in more than ${outputBytes} bytes, the limit`);
  if (end.exitCode !== 0) throw git.failed(words, end);
  const names = end.stdout.toString("utf8").split("\0");
  if (!isUtf8(end.stdout)) {
    const [name] = names.filter((it) => it.includes("\uFFFD"));
    throw hostileCommit(
      commit,
      `has ${quote(name?.replace(/^.*\t/s, ""))}, whose name is not UTF-8`,
    );
  }
  return names.filter((it) => it !== "");
}

/** Commits as what they bring, each compared with the one before. */
export async function arrivalsOf(
  git: Git,
  commits: readonly EventCommit[],
  store: Pick<RemoteStore, "read">,
): Promise<Arrival[]> {
  const words = ["diff-tree", "--stdin", "-r", "--root", "--no-renames", "-z"];
  const ids = commits.map(({ id }) => `${id}\n`).join("");
  const printed = ids === "" ? "" : (await git.ask(words, ids)).toString("utf8");
  const changes = changesIn(printed.split("\0"), store);
  return commits.map(({ id, seq, line }) => ({ seq, line, changes: changes.get(id) ?? [] }));
}

/** `ID`, then `:MODE MODE BLOB BLOB STATUS` and the path of each change; what is not there is zeros. */
function changesIn(words: readonly string[], store: Pick<RemoteStore, "read">) {
  const changes = new Map<string, DocumentChange[]>();
  let ofCommit: DocumentChange[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith(":")) {
      ofCommit = [];
      changes.set(word, ofCommit);
      continue;
    }
    const [, , before, after] = word.split(" ").map((it) => (/^0+$/.test(it) ? undefined : it));
    at += 1;
    ofCommit.push(changeOf(store, words[at] ?? "", before, after));
  }
  return changes;
}
