import { join } from "node:path";
import { type ConsultaError, unavailable } from "../../base/errors.ts";
import { textIfSound, uniqueSuffix } from "../../files/atomic-file.ts";
import { forged } from "../incoming.ts";
import { remoteLimits } from "../limits.ts";
import type { Git, GitCall, GitEnd } from "./run-git.ts";

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

/** What a host said as it was asked for refs. */
export interface HostAnswer {
  readonly end: GitEnd;
  /** What it has of them, with what each of them names. */
  readonly refs: ReadonlyMap<string, string>;
  /** Which hash names its objects: ours have to have the same. */
  readonly hash: "sha1" | "sha256";
}

/**
 * Fetches refs, and hears what the host has of them. It is asked for these alone, where `ls-remote` has it send the
 * names of all; what it answers git tells by a trace only.
 */
export async function askHost(
  git: Git,
  url: string,
  wanted: readonly string[],
  limits: Pick<GitCall, "timeoutMs" | "silentMs">,
): Promise<HostAnswer> {
  const words = ["fetch", "--progress", "--no-tags", "--", url, ...wanted];
  const end = await git.run({ words, isTraced: true, ...limits });
  const told = end.stderr.matchAll(/< ([0-9a-f]{40,64}) (refs\/[^\s\\]+)/g);
  return {
    end,
    refs: new Map(Array.from(told, ([, id = "", ref = ""]) => [ref, id])),
    hash: end.stderr.includes("object-format=sha256") ? "sha256" : "sha1",
  };
}

/** To ask for the names that begin so, and fetch nothing: none of them ends like this. */
export function namesFrom(start: string): string {
  return `${start}*${uniqueSuffix()}:refs/none/*`;
}

/** The same of a repository of no session. @throws ConsultaError UNAVAILABLE. */
export async function namesThere(
  git: Git,
  url: string,
  remote: string,
  starts: readonly string[],
): Promise<HostAnswer> {
  const limits = { timeoutMs: remoteLimits.lookMs };
  const answer = await askHost(git, url, starts.map(namesFrom), limits);
  if (answer.end.exitCode !== 0) throw outOfReach(remote, answer.end);
  return answer;
}

/** The last event that was looked at on this machine: what the session's ref names in our repository. */
export async function seenTip(git: Git, ref: string): Promise<string | undefined> {
  // Each move leaves it in a file, until somebody has git pack them.
  const moved = textIfSound(join(git.repository, ref), 128);
  const [known] = /^[0-9a-f]{40,64}(?=\n$)/.exec(moved ?? "") ?? [];
  if (known !== undefined) return known;
  const words = ["for-each-ref", "--count=1", "--format=%(objecttype) %(objectname)", ref];
  const [type, id] = (await git.lines(words))[0]?.split(" ") ?? [];
  return type === "commit" ? id : undefined;
}

/** Says of a commit that nothing from it on is taken: no script of Consulta made it so. `fault` follows its name. */
export function hostileCommit(commit: string, fault: string): ConsultaError {
  const remedy = "ask who pushed it, and have the ref put back to the commit before it";
  return forged(`commit ${commit} ${fault}`, remedy);
}
