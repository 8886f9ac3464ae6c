import type { Git } from "./run-git.ts";

/**
 * The last event that was looked at on this machine: what the session's ref names in our repository.
 * Only ever a commit.
 */
export async function seenTip(git: Git, ref: string): Promise<string | undefined> {
  const words = ["for-each-ref", "--count=1", "--format=%(objecttype) %(objectname)", ref];
  const [line = ""] = (await git.ask(words)).toString("latin1").split("\n");
  const [type, id] = line.split(" ");
  return type === "commit" ? id : undefined;
}

/** False where another process of this machine was faster. */
export async function moveSeenTip(
  git: Git,
  ref: string,
  to: string,
  from: string | undefined,
): Promise<boolean> {
  const words = ["update-ref", ref, to, from ?? "0".repeat(to.length)];
  return (await git.run({ words })).exitCode === 0;
}
