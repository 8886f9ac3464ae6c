import { ConsultaError } from "../../base/errors.ts";
import { remoteLimits } from "../limits.ts";
import type { Git, GitEnd } from "./run-git.ts";

/** Where a session may be on a remote: some hosts take branches and tags alone. */
export const sessionRef = (session: string): string => `refs/consulta/${session}`;
export const branchRef = (session: string): string => `refs/heads/consulta/${session}`;

/** Where the person's own log of a session is, beside the ref of the session: no session has such a name. */
export function besideRef(ref: string): string {
  return ref.replace(/[^/]+$/, "_person/$&");
}

/** The session of such a ref; what else lies there has slashes in its name. */
export function sessionOfRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads\/)?consulta\//, "");
}

/**
 * The refs of a remote that fit these patterns, with what each leads to.
 * @throws ConsultaError UNAVAILABLE, naming `where`, when it cannot be asked.
 */
export async function remoteRefs(
  git: Git,
  url: string,
  patterns: readonly string[],
  where: string,
): Promise<Map<string, string>> {
  const words = ["ls-remote", "--refs", "--", url, ...patterns];
  const end = await git.run({ words, timeoutMs: remoteLimits.lookMs });
  if (end.exitCode !== 0) throw outOfReach(where, end);
  const lines = end.stdout.toString("utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [id = "", ref] = line.split("\t");
      return ref === undefined ? [] : [[ref, id] as const];
    }),
  );
}

export function outOfReach(where: string, { said, exitCode }: GitEnd): ConsultaError {
  const why = exitCode === undefined ? "it took too long" : said;
  const fault = `${where} is out of reach (${why})`;
  return new ConsultaError(
    "UNAVAILABLE",
    `${fault}; run the same command again when it can be reached`,
    { fault },
  );
}
