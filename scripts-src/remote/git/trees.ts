import { ConsultaError } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { documentFault } from "../document-path.ts";
import { remoteLimits } from "../limits.ts";
import type { StoredDocument } from "../remote-store.ts";
import type { Git } from "./run-git.ts";

/**
 * The documents in the tree of a commit.
 * @throws ConsultaError REFUSED for a tree that no script of Consulta wrote: links, other
 * repositories, names that lead elsewhere, too much of it.
 */
export async function documentsIn(git: Git, commit: string): Promise<StoredDocument[]> {
  const printed = await git.ask(["ls-tree", "-r", "-z", "-l", "--full-tree", commit]);
  const entries = printed
    .toString("utf8")
    .split("\0")
    .filter((it) => it !== "");
  if (entries.length > remoteLimits.documents) {
    throw hostile(
      commit,
      `has ${entries.length} documents; the limit is ${remoteLimits.documents}`,
    );
  }
  const seen = new Set<string>();
  let bytes = 0;
  return entries.map((entry) => {
    const [, mode, type, version = "", size, path = ""] =
      /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(entry) ?? [];
    const fault =
      type !== "blob" || mode !== "100644"
        ? `is no plain file (${mode} ${type})`
        : documentFault(path, Number(size));
    if (fault !== undefined) throw hostile(commit, `has ${quote(path)}, which ${fault}`);
    // On some systems one would replace the other.
    const name = path.normalize("NFC").toLowerCase();
    if (seen.has(name)) throw hostile(commit, `has ${quote(path)} under two spellings`);
    seen.add(name);
    bytes += Number(size);
    if (bytes > remoteLimits.documentsBytes) {
      throw hostile(commit, `has more than ${remoteLimits.documentsBytes} bytes of documents`);
    }
    return { path, version };
  });
}

function hostile(commit: string, fault: string): ConsultaError {
  return new ConsultaError(
    "REFUSED",
    `the tree of commit ${commit} ${fault}: no script of Consulta wrote it, so none of it is taken; ask who pushed it`,
  );
}
