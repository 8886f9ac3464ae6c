import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isSafeName } from "../base/names.ts";
import { ownSettingsFile, readStores } from "../clis/user-settings.ts";
import { homeFolder } from "../files/home-folder.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { EtcdClient } from "./etcd/etcd-client.ts";
import { etcdClient, hasSession, refuseWideGrant, sessionsIn } from "./etcd/open-etcd-store.ts";
import { addressOf, type GitAddress, ownGit, publicUrlOf, reachedUrl } from "./git/address.ts";
import { Git, withQuietSsh } from "./git/run-git.ts";
import { branchRef, remoteRefs, sessionOfRef, sessionRef } from "./git/session-refs.ts";
import { remoteLimits } from "./limits.ts";
import type { StoreEntry, StoreName } from "./store-entry.ts";

/** A store that was asked for and may be used. */
export type ChosenStore = ChosenGit | ChosenEtcd;

interface ChosenGit {
  readonly store: "git";
  /** As `--store` names it. */
  readonly remote: string;
  readonly project: string;
  readonly isSigned: boolean;
  readonly address: GitAddress;
}

interface ChosenEtcd {
  readonly store: "etcd";
  readonly remote: string;
  readonly project: string;
  readonly isSigned: boolean;
  readonly client: EtcdClient;
}

/** On what terms it is used. */
export interface StoreTerms {
  /** Also where anybody can read it. */
  readonly isPublicWanted: boolean;
  /** Each event has to prove who wrote it. */
  readonly isSigned: boolean;
}

/** What `--store` asks for, by a name. */
export interface AskedStore {
  readonly store: StoreName;
  readonly name: string;
}

/**
 * What `--store` asks for: `git` is the project's remote `origin`, `etcd` the cluster of that name.
 * @throws ConsultaError REFUSED for anything else.
 */
export function parseStore(asked: string): AskedStore {
  const [, store, name] = /^(git|etcd)(?::([A-Za-z0-9][\w.-]{0,127}))?$/.exec(asked) ?? [];
  if (store === "git") return { store, name: name ?? "origin" };
  if (store === "etcd") return { store, name: name ?? "etcd" };
  // What was given may be an address with a password in it.
  const expected = "--store takes files, git, git:NAME, etcd or etcd:NAME";
  const way = `an address has its name in ${ownSettingsFile}, under stores`;
  throw new ConsultaError("REFUSED", `${expected}; ${way}`);
}

/**
 * The store that `--store` asks for.
 * @throws ConsultaError REFUSED where there is none of that name, and for one that anybody can read unless
 * that is what the user wants.
 */
export async function chooseStore(
  { store, name }: AskedStore,
  project: string,
  { isPublicWanted, isSigned }: StoreTerms,
): Promise<ChosenStore> {
  const named = await readStores(process.env);
  if (store === "etcd")
    return { store, remote: name, project, isSigned, client: etcdClient(name, named.etcd) };
  const address = await addressOf(name, project, named.git);
  if (!isPublicWanted)
    for (const url of new Set([address.fetchUrl, address.pushUrl]))
      await refusePublic(await reachedUrl(url, project), address.remote);
  return { store, remote: name, project, isSigned, address };
}

/** How `--store` asks for a store; undefined where nothing has to be asked for. */
export function askedAs({
  store,
  remote,
}: Pick<StoreEntry, "store" | "remote">): string | undefined {
  return store === "git" && remote === "origin" ? undefined : `${store}:${remote}`;
}

/** Whether a store that was chosen is the one of an entry. */
export function isSameStore(chosen: ChosenStore, entry: StoreEntry): boolean {
  return chosen.store === entry.store && chosen.remote === entry.remote;
}

/**
 * For a session in which each event is to prove who wrote it.
 * @throws ConsultaError REFUSED where the store lets this user write as anybody.
 */
export async function refuseUnprovable(store: ChosenStore): Promise<void> {
  if (store.isSigned && store.store === "etcd") await refuseWideGrant(store.client);
}

/** Where a session is on a store; undefined where it is free. @throws ConsultaError UNAVAILABLE. */
export async function refOn(store: ChosenStore, session: string): Promise<string | undefined> {
  if (store.store === "etcd")
    return (await hasSession(store.client, session)) ? freeRef(store, session) : undefined;
  const wanted = [sessionRef(session), branchRef(session)];
  return (await refsOn(store, wanted)).find((ref) => wanted.includes(ref));
}

/**
 * Where a session that begins will be on a store.
 * @throws ConsultaError REFUSED for a name that the store does not take.
 */
export function freeRef({ store }: ChosenStore, session: string): string {
  if (store === "etcd") return `session ${session}`;
  if (!session.endsWith(".lock")) return sessionRef(session);
  const reason = "git takes no session whose name ends in .lock";
  throw new ConsultaError("REFUSED", `${reason}: choose another than ${session}`);
}

/** The sessions on a store, by their ids. @throws ConsultaError UNAVAILABLE. */
export async function sessionsOn(store: ChosenStore): Promise<string[]> {
  if (store.store === "etcd") return sessionsIn(store.client);
  const refs = await refsOn(store, [sessionRef("*"), branchRef("*")]);
  return refs.map(sessionOfRef).filter((id) => isSafeName(id));
}

async function refsOn({ address, remote, project }: ChosenGit, refs: readonly string[]) {
  const git = await withQuietSsh(ownGit(project));
  return [...(await remoteRefs(git, address.fetchUrl, refs, remote)).keys()];
}

/**
 * git cannot tell who may read a remote. What can be told is whether somebody without any credentials
 * reads it over https: then everybody does.
 */
async function refusePublic(reached: string, remote: string): Promise<void> {
  const url = publicUrlOf(reached);
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
  const words = ["ls-remote", "--", url, "HEAD"];
  const end = await git.run({ words, timeoutMs: remoteLimits.publicLookMs });
  if (end.exitCode !== 0) return;
  throw new ConsultaError(
    "REFUSED",
    `anybody can read ${remote} (${url} answers without a password), and with it what is said in the session: use a private remote, or give --public`,
  );
}
