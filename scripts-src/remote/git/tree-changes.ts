import { type Arrival, changeOf, type DocumentChange } from "../intake-check.ts";
import type { RemoteStore } from "../remote-store.ts";
import type { EventCommit } from "./commits.ts";
import type { Git } from "./run-git.ts";

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
