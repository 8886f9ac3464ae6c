import { createHash } from "node:crypto";
import { git, gitWith } from "./git-remote.ts";

/** What a forged commit does to the documents: the new text of each, null for one that it removes. */
type Documents = Readonly<Record<string, string | null>>;

/**
 * Pushes an event that no script wrote, with a sound chain: what anybody may do who may push, with a key
 * of theirs if one is given. Gives its commit.
 */
export function forge(
  host: string,
  id: string,
  fields: object,
  documents: Documents = {},
  key?: string,
): string {
  const ref = `refs/consulta/${id}`;
  const tip = git(host, "rev-parse", ref);
  const last = git(host, "log", "-1", "--format=%B", tip);
  const seq = JSON.parse(last).seq + 1;
  const prev = createHash("sha256").update(last).digest("hex");
  const at = JSON.parse(last).at;
  const event = { seq, from: "gemini", event: "said", at, summary: "x", ...fields, prev };
  const tree = treeWith(host, `${tip}^{tree}`, documents);
  const signing = ["-c", "gpg.format=ssh", "-c", `user.signingkey=${key}`];
  const words = [...(key === undefined ? [] : signing), "commit-tree", tree, "-p", tip];
  if (key !== undefined) words.push("-S");
  const commit = gitWith(host, `${JSON.stringify(event)}\n`, ...words);
  git(host, "update-ref", ref, commit);
  return commit;
}

/** A tree with some of its paths changed, written without an index. */
function treeWith(host: string, tree: string, documents: Documents): string {
  const listed = git(host, "ls-tree", "-z", tree)
    .split("\0")
    .filter((it) => it !== "");
  const entries = new Map(listed.map((it) => [it.slice(it.indexOf("\t") + 1), it]));
  for (const name of new Set(Object.keys(documents).map((path) => path.split("/", 1)[0] ?? ""))) {
    const text = documents[name];
    if (text === null) entries.delete(name);
    else if (text !== undefined) {
      const blob = gitWith(host, text, "hash-object", "-w", "--stdin");
      entries.set(name, `100644 blob ${blob}\t${name}`);
    } else
      entries.set(name, `040000 tree ${below(host, entries.get(name), name, documents)}\t${name}`);
  }
  const lines = [...entries.values()].map((it) => `${it}\0`).join("");
  return gitWith(host, lines, "mktree", "-z");
}

function below(host: string, entry: string | undefined, name: string, documents: Documents) {
  const inside = Object.entries(documents).flatMap(([path, text]) =>
    path.startsWith(`${name}/`) ? [[path.slice(name.length + 1), text] as const] : [],
  );
  const empty = gitWith(host, "", "mktree");
  return treeWith(host, entry?.split(/[ \t]/)[2] ?? empty, Object.fromEntries(inside));
}
