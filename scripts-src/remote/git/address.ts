import { isAbsolute, join, resolve } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { homeFolder } from "../../files/home-folder.ts";
import { Git, type GitPlace, withoutCredentials } from "./run-git.ts";

/** How a remote is reached. */
export interface GitAddress {
  /** As people know it. */
  readonly remote: string;
  readonly fetchUrl: string;
  readonly pushUrl: string;
  /** The project's own settings of git, where the remote is one of its: how to sign in is said there. */
  readonly settings?: string;
}

const remoteName = /^[A-Za-z0-9][\w.-]{0,127}$/;

/**
 * How a remote is reached: a name is one of the user's own (`named`), else one of the remotes of the
 * project's repository; everything else is an address.
 * @throws ConsultaError REFUSED where there is no such remote, or it is none that is safe to use.
 */
export async function addressOf(
  remote: string,
  project: string,
  named: Readonly<Record<string, string>>,
): Promise<GitAddress> {
  const own = Object.hasOwn(named, remote) ? named[remote] : undefined;
  if (own !== undefined) return single(remote, checkedUrl(own, project));
  if (isAddress(remote)) {
    if (/^\w+:\/\/[^/@]*:[^/@]*@/.test(remote)) throw hasPassword();
    return single(withoutCredentials(remote), checkedUrl(remote, project));
  }
  const place: GitPlace = { folder: project, projects: [project] };
  const git = new Git(place);
  const settings = await commonFolder(git, project, remote);
  const fetchUrl = await urlOf(git, remote, []);
  const pushUrl = await urlOf(git, remote, ["--push"]);
  const read = (url: string) => checkedUrl(url, project);
  return {
    remote,
    fetchUrl: read(fetchUrl),
    pushUrl: read(pushUrl),
    settings: join(settings, "config"),
  };
}

function single(remote: string, url: string): GitAddress {
  return { remote, fetchUrl: url, pushUrl: url };
}

/** What is no name of a remote is its address. */
export function isAddress(remote: string): boolean {
  return !remoteName.test(remote);
}

async function commonFolder(git: Git, project: string, remote: string): Promise<string> {
  const end = await git.run({ words: ["rev-parse", "--git-common-dir"] });
  if (end.exitCode === 0) return resolve(project, end.stdout.toString("utf8").trim());
  throw new ConsultaError(
    "REFUSED",
    `${project} is in no git repository that you may use (${end.said}), so it has no remote ${remote}: give --store git:URL`,
  );
}

async function urlOf(git: Git, remote: string, how: readonly string[]): Promise<string> {
  const end = await git.run({ words: ["remote", "get-url", ...how, "--", remote] });
  const [url = ""] = end.stdout.toString("utf8").split("\n");
  if (end.exitCode === 0 && url !== "") return url;
  const known = (await git.run({ words: ["remote"] })).stdout.toString("utf8").split("\n");
  const names = known.filter((name) => name !== "");
  const there = names.length === 0 ? "it has none" : `there are: ${names.join(", ")}`;
  throw new ConsultaError(
    "REFUSED",
    `this project has no git remote ${quote(remote)} (${there}): add it with git remote add, or give --store git:NAME-OR-URL`,
  );
}

const scpLike = /^(?:[\w.+-]+@)?[\w.-]+:(?!\/\/)[^\\]/;
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** @throws ConsultaError REFUSED for an address that would run a program, or says what it sends to all. */
function checkedUrl(given: string, project: string): string {
  const url = given.startsWith("~/") ? join(homeFolder(), given.slice(2)) : given;
  const [, scheme, host = ""] =
    /^([a-z][a-z0-9+.-]*):\/\/(?:[^/@]*@)?([^/:]*|\[[^\]]*\])/i.exec(url) ?? [];
  if (/^-|[\0\r\n]/.test(url) || /^\w+::/.test(url)) throw wrongUrl(given);
  if (scheme === undefined) {
    const isLocal = isAbsolute(url) || /^\.{1,2}[/\\]/.test(url) || !scpLike.test(url);
    return isLocal ? resolve(project, url) : url;
  }
  if (["https", "ssh", "file"].includes(scheme)) return url;
  if (scheme === "http" && loopback.test(host)) return url;
  throw wrongUrl(given);
}

function wrongUrl(url: string): ConsultaError {
  return new ConsultaError(
    "REFUSED",
    `${quote(withoutCredentials(url))} is no address for sessions: use https, ssh or a path`,
  );
}

function hasPassword(): ConsultaError {
  return new ConsultaError(
    "REFUSED",
    "the address holds a password, which everybody sees who sees this command: leave it out, and let git's credential helper keep it",
  );
}

/** Where anybody could read a remote; undefined for one that is no host's. */
export function publicUrlOf(url: string): string | undefined {
  if (/^https?:/i.test(url)) return url.replace(/^(https?:\/\/)[^/@]*@/i, "$1");
  const [, host, path] =
    /^ssh:\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(url) ??
    (url.startsWith("/") ? null : /^(?:[\w.+-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(url)) ??
    [];
  if (host === undefined || path === undefined || /^file:/i.test(url)) return undefined;
  return `https://${host}/${path.replace(/^\//, "")}`;
}
