import { type ConsultaError, refused } from "../base/errors.ts";
import { ownSettingsFile, readStores } from "../clis/user-settings.ts";
import { existsSync } from "../files/disk.ts";
import { homeOrNone } from "../files/home-folder.ts";
import type { Arguments } from "../script/arguments.ts";
import { ownCommand, refuseBelowCli } from "../session/run-in-project.ts";
import { projectOf } from "../session/session-options.ts";
import type { SharedStores, StorePurpose } from "../session/shared-stores.ts";
import { AskedStore, joinLine } from "./chosen-store.ts";
import { etcdHost } from "./etcd/etcd-host.ts";
import { gitHost } from "./git/git-host.ts";
import { entriesOf, readEntry, type StoreName } from "./known-stores.ts";
import { openPersonLog, openRemoteLog } from "./open-remote-log.ts";

const proofs: Readonly<Record<StoreName, string>> = {
  git: "each event is signed by a key that ~/.consulta/allowed_signers has for who wrote it",
  etcd: "each event was stored by a user of the cluster whom it lets write as who wrote it",
};

/** What this room is to sessions: session/shared-stores.ts registers it. */
export const sharedStores: SharedStores = {
  openLog: openRemoteLog,
  openPersonLog,
  choose: chooseStore,
  senderProof(folder) {
    const { store, isSigned } = readEntry(folder);
    return isSigned ? proofs[store] : undefined;
  },
  wayBack(id, project) {
    const known = homeOrNone() === undefined ? [] : entriesOf(id);
    const entry = known.find((it) => it.project === project && !existsSync(it.folder));
    return entry && `it was kept on ${entry.remote}; join it again: ${joinLine(entry, id)}`;
  },
};

/**
 * The store that a command line or a project's config asks for.
 * @throws ConsultaError REFUSED where there is none of that name, where an agent may not use it, and for one
 * that anybody can read unless that is what the user wants.
 */
async function chooseStore(
  args: Arguments,
  text: string,
  purpose: StorePurpose,
): Promise<AskedStore> {
  const { store, name } = parseStore(text);
  const named = await readStores(process.env);
  // A store that the user gave a name of their own has their leave to be used.
  const isNamed = Object.hasOwn(named[store], name);
  if (!isNamed && purpose === "config") throw unnamed(text, name);
  if (!isNamed && purpose === "send") await refuseAgents(args, `${store}:NAME`);
  if (args.has("public")) await refuseBelowCli("--public lets anybody read a session");
  const isPublicWanted = purpose === "look" || args.has("public");
  const project = projectOf(args);
  const host =
    store === "etcd"
      ? etcdHost(name, named.etcd)
      : await gitHost(name, project, named.git, isPublicWanted);
  const terms = { store, remote: name, project, isSigned: args.has("signed") };
  return new AskedStore(host, terms, args.has("store"));
}

/**
 * What `--store` asks for: `git` is the project's remote `origin`, `etcd` the cluster of that name.
 * @throws ConsultaError REFUSED for anything else.
 */
function parseStore(asked: string): { store: StoreName; name: string } {
  const [, store, name] = /^(git|etcd)(?::([A-Za-z0-9][\w.-]{0,127}))?$/.exec(asked) ?? [];
  if (store === "git") return { store, name: name ?? "origin" };
  if (store === "etcd") return { store, name: name ?? "etcd" };
  // What was given may be an address with a password in it.
  const expected = "--store takes files, git, git:NAME, etcd or etcd:NAME";
  const way = `an address has its name in ${ownSettingsFile}, under stores`;
  throw refused(`${expected}; ${way}`);
}

function unnamed(text: string, name: string): ConsultaError {
  const reason = `this project keeps its sessions on ${text} (store in .consulta/config.json), which ${ownSettingsFile} does not name`;
  const way = `name ${name} there, under stores:, as in docs/machines.md, or give --store files to keep this one here`;
  return refused(`${reason}: ${way}`);
}

/** @throws ConsultaError REFUSED below a CLI: who reads along is for its user to say. */
async function refuseAgents(args: Arguments, asked: string): Promise<void> {
  const what = args.has("store") ? "--store" : "the remote origin";
  const way = `name it in ${ownSettingsFile} (stores: {NAME: ADDRESS}), after which you give --store ${asked}`;
  await refuseBelowCli(
    `${what} shares a session with all who can read there`,
    // The command is last, so that it can be copied.
    `ask your user to ${way}, or to run this in a terminal: ${ownCommand()}`,
  );
}
