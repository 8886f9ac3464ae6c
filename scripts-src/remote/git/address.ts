import { isAbsolute, join, resolve } from "node:path";
import { type ConsultaError, refused } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { ownSettingsFile } from "../../clis/user-settings.ts";
import { createFileExclusively } from "../../files/atomic-file.ts";
import { isFolder } from "../../files/disk.ts";
import { homeFolder } from "../../files/home-folder.ts";
import { ensureOwnFolder } from "../../files/ownership.ts";
import { ensureFolder } from "../../files/safe-path.ts";
import { Git } from "./run-git.ts";

/** How a remote is reached: by git with the settings of the user, which may write these addresses otherwise. */
export interface GitAddress {
  /** As people know it. */
  readonly remote: string;
  readonly fetchUrl: string;
  readonly pushUrl: string;
}

/**
 * How a remote is reached: its name is one of the user's own (`named`), else that of a remote of the
 * project's repository. Of the project's settings, which may have come with it, only that address is taken:
 * others of them name programs.
 * @throws ConsultaError REFUSED where there is no such remote, or it is none that is safe to use.
 */
export async function addressOf(
  remote: string,
  project: string,
  named: Readonly<Record<string, string>>,
): Promise<GitAddress> {
  const own = Object.hasOwn(named, remote) ? named[remote] : undefined;
  if (own !== undefined) {
    const url = checkedUrl(own, project);
    return { remote, fetchUrl: url, pushUrl: url };
  }
  if (!isFolder(project)) throw noProject(project, remote);
  const git = new Git({ folder: project, projects: [project] });
  const set = await addressesOf(git, remote);
  const url = set.get(`remote.${remote}.url`);
  if (url === undefined) throw await noRemote(git, project, remote);
  const pushUrl = set.get(`remote.${remote}.pushurl`) ?? url;
  return { remote, fetchUrl: checkedUrl(url, project), pushUrl: checkedUrl(pushUrl, project) };
}

/** git in a repository that holds nothing, where only the user and the machine set anything. */
export function ownGit(project: string): Git {
  const folder = homeFolder();
  const stores = ensureFolder(folder, ".consulta", "stores");
  const repository = ensureOwnFolder(stores, "none", "git runs there");
  // What git takes for a repository, of whatever hash: nothing is ever fetched into it.
  for (const name of ["objects", "refs"]) ensureFolder(repository, name);
  createFileExclusively(join(repository, "HEAD"), "ref: refs/heads/none\n");
  return new Git({ folder, repository, projects: [project] });
}

/**
 * Where git goes for an address: the user's settings may have another in its place (`insteadOf`).
 * @throws ConsultaError REFUSED for one that may not be used.
 */
export async function reachedUrl(url: string, project: string): Promise<string> {
  const end = await ownGit(project).run({ words: ["ls-remote", "--get-url", "--", url] });
  const [reached = ""] = end.stdout.toString("utf8").split("\n");
  return end.exitCode === 0 && reached !== "" ? checkedUrl(reached, project) : url;
}

async function refuseNoRepository(git: Git, project: string, remote: string): Promise<void> {
  const end = await git.run({ words: ["rev-parse", "--git-common-dir"] });
  if (end.exitCode === 0) return;
  throw refused(
    `${project} is in no git repository that you may use (${end.said}), so it has no remote ${remote}: name one in ${ownSettingsFile}, under stores, and give --store git:NAME`,
  );
}

function noProject(project: string, remote: string): ConsultaError {
  return refused(
    `${project} is gone, whose remote ${remote} keeps this session: put it back, or name ${remote} with its address in ~/.consulta/config.yaml, under stores:`,
  );
}

/** What the project's repository sets for a remote as `url` and `pushurl`; the first of each counts. */
async function addressesOf(git: Git, remote: string): Promise<Map<string, string>> {
  const key = `^remote\\.${remote.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")}\\.(push)?url$`;
  const { stdout } = await git.run({ words: ["config", "--null", "--get-regexp", key] });
  const set = stdout
    .toString("utf8")
    .split("\0")
    .map((it) => it.split("\n"));
  const given = set.flatMap(([name = "", url = ""]) => (url === "" ? [] : [[name, url] as const]));
  return new Map(given.reverse());
}

async function noRemote(git: Git, project: string, remote: string): Promise<ConsultaError> {
  await refuseNoRepository(git, project, remote);
  const known = (await git.run({ words: ["remote"] })).stdout.toString("utf8").split("\n");
  const names = known.filter((name) => name !== "");
  const there = names.length === 0 ? "it has none" : `there are: ${names.join(", ")}`;
  return refused(
    `this project has no git remote ${quote(remote)} (${there}): add it with git remote add, or name it in ${ownSettingsFile}, under stores`,
  );
}

/** `HOST:PATH`; in brackets a host may be an IPv6 address, or have a port, as git reads it. */
const scpLike =
  /^(?:[\w.+-]+@)?(?:([\w.-]+)|\[(?:[\w.+-]+@)?([\w.-]+)(?::\d*)?\]|(\[[\da-f:.]+(?:%[\w.-]+)?\])):(?!\/\/)([^\\].*)$/i;
/** A whole authority (RFC 3986, 3.2): a part of one may be anybody's. */
const loopback = /^(?:[^@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d*)?$/;

/** @throws ConsultaError REFUSED for an address that would run a program, or says what it sends to all. */
function checkedUrl(given: string, project: string): string {
  const url = given.startsWith("~/") ? join(homeFolder(), given.slice(2)) : given;
  const [, scheme, authority = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)/i.exec(url) ?? [];
  if (/^-|[\0\r\n]/.test(url) || /^\w+::/.test(url)) throw wrongUrl(given);
  if (scheme === undefined) {
    const isLocal = isAbsolute(url) || /^\.{1,2}[/\\]/.test(url) || !scpLike.test(url);
    return isLocal ? resolve(project, url) : url;
  }
  if (["https", "ssh", "file"].includes(scheme)) return url;
  if (scheme === "http" && loopback.test(authority)) return url;
  throw wrongUrl(given);
}

function wrongUrl(url: string): ConsultaError {
  // A password may be in one with an @, and end anywhere.
  const shown = url.includes("@") ? "what is given, with an @ in it," : quote(url);
  return refused(`${shown} is no address for sessions: use https, ssh or a path`);
}

/** Where anybody could read a remote; undefined for one that is no host's. */
export function publicUrlOf(url: string): string | undefined {
  if (/^https?:/i.test(url)) return url.replace(/^(https?:\/\/)[^/@]*@/i, "$1");
  const [, host, path] =
    /^ssh:\/\/(?:[^/@]*@)?(\[[^\]/]+\]|[^/:]+)(?::\d*)?\/(.+)$/i.exec(url) ?? [];
  if (host !== undefined) return `https://${host}/${path}`;
  if (url.startsWith("/") || /^file:/i.test(url)) return undefined;
  const [, plain, inBrackets, numbers, rest = ""] = scpLike.exec(url) ?? [];
  const found = plain ?? inBrackets ?? numbers;
  return found === undefined ? undefined : `https://${found}/${rest.replace(/^\//, "")}`;
}
