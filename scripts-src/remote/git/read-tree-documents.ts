import { isUtf8 } from "node:buffer";
import { quote } from "../../base/json.ts";
import { remoteLimits } from "../limits.ts";
import type { StoredDocument } from "../remote-store.ts";
import { documentsFault } from "../validate-document.ts";
import { hostileCommit } from "./hostile-commit.ts";
import type { Git } from "./run-git.ts";

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
