import { commitName } from "./commits.ts";
import type { Git } from "./run-git.ts";

/**
 * The last event that was looked at on this machine: what the session's ref names in our repository.
 * Only ever a commit.
 */
export async function seenTip(git: Git, ref: string): Promise<string | undefined> {
  const words = ["for-each-ref", "--count=1", "--format=%(objecttype) %(objectname)", ref];
  const [line = ""] = (await git.ask(words)).toString("latin1").split("\n");
  const [type, id] = line.split(" ");
  return id === undefined || type === "commit" ? id : putRight(git, ref, id);
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

/**
 * Earlier versions kept whatever the remote's ref named. What a tag leads to was looked at, and is the
 * last event; of anything else nothing was.
 */
async function putRight(git: Git, ref: string, found: string): Promise<string | undefined> {
  const words = ["rev-parse", "--verify", "--quiet", `${found}^{commit}`];
  const { exitCode, stdout } = await git.run({ words });
  const name = stdout.toString("latin1").trim();
  const event = exitCode === 0 && commitName.test(name) ? name : undefined;
  if (event !== undefined) await moveSeenTip(git, ref, event, found);
  else await git.run({ words: ["update-ref", "-d", ref, found] });
  return event;
}
