import { refused } from "../base/errors.ts";
import { ownSettingsFile, readStores } from "../clis/user-settings.ts";
import type { Arguments } from "../script/arguments.ts";
import { ownCommand, refuseBelowCli } from "../session/run-in-project.ts";
import { projectOf } from "../session/session-options.ts";
import type { StorePurpose } from "../session/shared-stores.ts";
import { AskedStore } from "./chosen-store.ts";
import { etcdHost } from "./etcd/etcd-host.ts";
import { gitHost } from "./git/git-host.ts";
import type { StoreName } from "./known-stores.ts";

/** What `--store` asks for, by a name. */
interface Asked {
  readonly store: StoreName;
  readonly name: string;
  /** Whether the user gave the store a name of their own, and with it leave to use it. */
  readonly isNamed: boolean;
}

/**
 * The store that a command line or a project's config asks for.
 * @throws ConsultaError REFUSED where there is none of that name, where an agent may not use it, and for one
 * that anybody can read unless that is what the user wants.
 */
export async function chooseStore(
  args: Arguments,
  text: string,
  purpose: StorePurpose,
): Promise<AskedStore> {
  const { store, name } = parseStore(text);
  const named = await readStores(process.env);
  const asked = { store, name, isNamed: Object.hasOwn(named[store], name) };
  await refuseUnasked(args, text, purpose, asked);
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
function parseStore(asked: string): Pick<Asked, "store" | "name"> {
  const [, store, name] = /^(git|etcd)(?::([A-Za-z0-9][\w.-]{0,127}))?$/.exec(asked) ?? [];
  if (store === "git") return { store, name: name ?? "origin" };
  if (store === "etcd") return { store, name: name ?? "etcd" };
  // What was given may be an address with a password in it.
  const expected = "--store takes files, git, git:NAME, etcd or etcd:NAME";
  const way = `an address has its name in ${ownSettingsFile}, under stores`;
  throw refused(`${expected}; ${way}`);
}

/** @throws ConsultaError REFUSED for a store that this user did not name, where a clone or an agent asks for it. */
async function refuseUnasked(
  args: Arguments,
  text: string,
  purpose: StorePurpose,
  { store, name, isNamed }: Asked,
): Promise<void> {
  if (purpose === "config" && !isNamed) {
    const reason = `this project keeps its sessions on ${text} (store in .consulta/config.json), which ${ownSettingsFile} does not name`;
    const way = `name ${name} there, under stores:, as in docs/machines.md, or give --store files to keep this one here`;
    throw refused(`${reason}: ${way}`);
  }
  if (purpose !== "look" && !isNamed) {
    const what = args.has("store") ? "--store" : "the remote origin";
    const way = `name it in ${ownSettingsFile} (stores: {NAME: ADDRESS}), after which you give --store ${store}:NAME`;
    await refuseBelowCli(
      `${what} shares a session with all who can read there`,
      // The command is last, so that it can be copied.
      `ask your user to ${way}, or to run this in a terminal: ${ownCommand()}`,
    );
  }
  if (args.has("public")) await refuseBelowCli("--public lets anybody read a session");
}
