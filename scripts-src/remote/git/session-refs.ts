import { type ConsultaError, unavailable } from "../../base/errors.ts";
import { forged } from "../incoming.ts";
import type { Git, GitEnd } from "./run-git.ts";

/** Where a session may be on a remote: some hosts take branches and tags alone. */
export const sessionRef = (session: string): string => `refs/consulta/${session}`;
export const branchRef = (session: string): string => `refs/heads/consulta/${session}`;

/**
 * Where the person's own log of a session is, beside the ref of the session: no session has such a name. It is
 * alone in its folder, so that git can be asked for it where it may be missing.
 */
export function besideRef(ref: string): string {
  return ref.replace(/[^/]+$/, "_person/$&/log");
}

/** The session of such a ref; what else lies there has slashes in its name. */
export function sessionOfRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads\/)?consulta\//, "");
}

export function outOfReach(where: string, { said, exitCode }: GitEnd): ConsultaError {
  const why = exitCode === undefined ? "it took too long" : said;
  const fault = `${where} is out of reach (${why})`;
  const message = `${fault}; run the same command again when it can be reached`;
  return unavailable(message, { fault });
}

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

/** Says of a commit that nothing from it on is taken: no script of Consulta made it so. `fault` follows its name. */
export function hostileCommit(commit: string, fault: string): ConsultaError {
  const remedy = "ask who pushed it, and have the ref put back to the commit before it";
  return forged(`commit ${commit} ${fault}`, remedy);
}
