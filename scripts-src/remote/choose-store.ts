import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { readStoreNames } from "../clis/own-settings.ts";
import { homeFolder } from "../files/home-folder.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { addressOf, type GitAddress, isAddress, publicUrlOf } from "./git/address.ts";
import { withQuietSsh } from "./git/open-git-store.ts";
import { branchRef, remoteRefs, sessionOf, sessionRef } from "./git/remote-refs.ts";
import { Git } from "./git/run-git.ts";
import { remoteLimits } from "./limits.ts";

/** A store that was asked for and may be used. */
export interface ChosenStore {
  /** As `--store` names it. */
  readonly remote: string;
  readonly project: string;
  readonly address: GitAddress;
}

/**
 * The store that `--store` asks for: `git`, `git:NAME` or `git:ADDRESS`.
 * @throws ConsultaError REFUSED where there is no such remote, and for one that anybody can read unless
 * that is what the user wants.
 */
export async function chooseStore(
  asked: string,
  project: string,
  isPublicWanted: boolean,
): Promise<ChosenStore> {
  const remote = asked === "git" ? "origin" : storeName(asked);
  if (remote === undefined) {
    throw new ConsultaError(
      "REFUSED",
      `--store is ${quote(asked)}, expected git or git:NAME-OR-URL`,
    );
  }
  const address = await addressOf(remote, project, await readStoreNames(process.env));
  if (!isPublicWanted) await refusePublic(address);
  return { remote, project, address };
}

/** The name or address that `--store` gives; undefined where it gives none. */
export function storeName(asked: string): string | undefined {
  return /^git:(.+)$/.exec(asked)?.[1];
}

/** Whether `--store` gives an address of its own, in place of a name that the user chose before. */
export function namesAddress(asked: string): boolean {
  return isAddress(storeName(asked) ?? "origin");
}

/** The ref of a session on a store; undefined where it is free. @throws ConsultaError UNAVAILABLE. */
export async function refOn(store: ChosenStore, session: string): Promise<string | undefined> {
  const wanted = [sessionRef(session), branchRef(session)];
  return (await refsOn(store, wanted)).find((ref) => wanted.includes(ref));
}

/** The sessions on a store, by their ids. @throws ConsultaError UNAVAILABLE. */
export async function sessionsOn(store: ChosenStore): Promise<string[]> {
  return (await refsOn(store, [sessionRef("*"), branchRef("*")])).map(sessionOf);
}

async function refsOn({ address, remote, project }: ChosenStore, refs: readonly string[]) {
  const git = await withQuietSsh(gitFor(address, project));
  return [...(await remoteRefs(git, address.fetchUrl, refs, remote)).keys()];
}

/** A remote of the project's is reached with the project's settings, where they say how to sign in. */
function gitFor({ settings }: GitAddress, project: string): Git {
  const folder = settings === undefined ? homeFolder() : project;
  return new Git({ folder, projects: [project] });
}

/**
 * git cannot tell who may read a remote. What can be told is whether somebody without any credentials
 * reads it over https: then everybody does.
 */
async function refusePublic({ fetchUrl, remote }: GitAddress): Promise<void> {
  const url = publicUrlOf(fetchUrl);
  if (url === undefined) return;
  const empty = ensureFolder(homeFolder(), ".consulta", "stores", "nobody");
  const git = new Git({
    folder: empty,
    projects: [],
    environment: {
      HOME: empty,
      XDG_CONFIG_HOME: empty,
      GIT_DIR: join(empty, "none"),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: process.platform === "win32" ? "NUL" : "/dev/null",
      GIT_CONFIG_COUNT: undefined,
      GIT_ALLOW_PROTOCOL: "http:https",
    },
  });
  const words = ["-c", "credential.helper=", "ls-remote", "--", url, "HEAD"];
  const end = await git.run({ words, timeoutMs: remoteLimits.publicLookMs });
  if (end.exitCode !== 0) return;
  throw new ConsultaError(
    "REFUSED",
    `anybody can read ${remote} (${url} answers without a password), and with it what is said in the session: use a private remote, or give --public`,
  );
}
