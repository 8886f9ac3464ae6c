import { isUtf8 } from "node:buffer";
import { limits } from "../../base/limits.ts";
import { lineFault, senderOf } from "../validate-incoming.ts";
import { type CommitSignatures, isSigned } from "./commit-signatures.ts";
import { hostileCommit } from "./hostile-commit.ts";
import type { Git } from "./run-git.ts";

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

export const commitName = /^[0-9a-f]{40}$/;

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
  const text = (await git.ask(words, `${ids.join("\n")}\n`)).toString("latin1");
  const lines = text.split("\n").filter((line) => line !== "");
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
