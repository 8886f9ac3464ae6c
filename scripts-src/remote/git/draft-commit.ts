import { randomUUID } from "node:crypto";
import { unavailable } from "../../base/errors.ts";
import { uniqueSuffix } from "../../files/atomic-file.ts";
import type { EventDocument } from "../../log/event-log.ts";
import { eventOf } from "../incoming.ts";
import type { CommitSignatures } from "./commit-signatures.ts";
import { commitName } from "./commits.ts";
import type { Git } from "./run-git.ts";

export interface CommitDraft {
  readonly parent: string | undefined;
  readonly line: string;
  readonly documents: readonly EventDocument[];
  /** Where the events of the session are signed. */
  readonly signatures: CommitSignatures | undefined;
}

/**
 * Writes a commit that no ref names, and returns its name. To push it twice is to push it once; no other
 * draft is the same commit.
 */
export async function draftCommit(git: Git, draft: CommitDraft): Promise<string> {
  const { from, at } = eventOf(draft.line);
  const seconds = Math.max(0, Math.floor(Date.parse(at) / 1_000)) || 0;
  // The length of names is that of the repository's hash.
  const anyId = draft.parent ?? (await git.ask(["hash-object", "--stdin"])).toString().trim();
  const draftRef = `refs/consulta-draft/${uniqueSuffix()}`;
  const date = `${seconds} +0000`;
  const author = `${from.replace(/[<>\n\0]/g, "")} <consulta@localhost> ${date}`;
  // Two machines may append equal events at the same time: only one of the commits is to get in.
  const committer = `consulta <${randomUUID()}@localhost> ${date}`;
  const parts = [
    `commit ${draftRef}\nmark :1\nauthor ${author}\ncommitter ${committer}\n`,
    ...data(Buffer.from(`${draft.line}\n`)),
    draft.parent === undefined ? "" : `from ${draft.parent}\n`,
    ...draft.documents.flatMap(change),
    "\nget-mark :1\n",
    // The draft is nobody's: only the push gives it a name.
    `reset ${draftRef}\nfrom ${"0".repeat(anyId.length)}\n\ndone\n`,
  ];
  const input = Buffer.concat(parts.map((it) => (typeof it === "string" ? Buffer.from(it) : it)));
  const words = ["fast-import", "--quiet", "--done", "--force", "--date-format=raw"];
  const printed = (await git.ask(words, input)).toString("latin1").trim();
  if (commitName.test(printed))
    return draft.signatures === undefined ? printed : signed(git, printed, from, draft.signatures);
  throw unavailable(`git fast-import names no commit: ${printed}`);
}

async function signed(
  git: Git,
  id: string,
  sender: string,
  signatures: CommitSignatures,
): Promise<string> {
  const commit = await git.ask(["cat-file", "commit", id]);
  const words = ["hash-object", "-t", "commit", "-w", "--stdin"];
  return (await git.ask(words, await signatures.sign(commit, sender))).toString("latin1").trim();
}

function change({ path, bytes }: EventDocument): (string | Uint8Array)[] {
  if (bytes === null) return [`D ${quoted(path)}\n`];
  return [`M 100644 inline ${quoted(path)}\n`, ...data(bytes)];
}

function data(bytes: Uint8Array): (string | Uint8Array)[] {
  return [`data ${bytes.length}\n`, bytes, "\n"];
}

/** Only such paths come here that need no other escapes. */
function quoted(path: string): string {
  return `"${path}"`;
}
