import { ConsultaError } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { documentsFault } from "../document-path.ts";
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
  const documents = entries.map((entry) => {
    const [, mode, type, version = "", size, path = ""] =
      /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(entry) ?? [];
    if (type !== "blob" || mode !== "100644")
      throw hostile(commit, `has ${quote(path)}, which is no plain file (${mode} ${type})`);
    return { path, version, bytes: Number(size) };
  });
  const fault = documentsFault(documents);
  if (fault !== undefined) throw hostile(commit, fault);
  return documents.map(({ path, version }) => ({ path, version }));
}

function hostile(commit: string, fault: string): ConsultaError {
  return new ConsultaError(
    "REFUSED",
    `the tree of commit ${commit} ${fault}: no script of Consulta wrote it, so none of it is taken; ask who pushed it`,
  );
}
