import { isAbsolute, join, resolve } from "node:path";
import { ConsultaError, refused } from "../../base/errors.ts";
import { isSafeName } from "../../base/names.ts";
import { type EtcdSettings, ownSettingsFile } from "../../clis/user-settings.ts";
import { readFileIfPresent } from "../../files/atomic-file.ts";
import { homeFolder } from "../../files/home-folder.ts";
import { readOwnFile } from "../../files/ownership.ts";
import { remoteLimits } from "../limits.ts";
import type { StoreHost } from "../remote-store.ts";
import { EtcdClient } from "./etcd-client.ts";
import {
  afterPrefix,
  base64,
  fromBase64,
  senderKey,
  sessionKey,
  sessionsPrefix,
} from "./stored-forms.ts";

/**
 * A client of the cluster that the user's settings name.
 * @throws ConsultaError REFUSED where they name none, or a file of theirs is missing or open to others.
 */
export function etcdClient(
  name: string,
  named: Readonly<Record<string, EtcdSettings>>,
): EtcdClient {
  const settings = Object.hasOwn(named, name) ? named[name] : undefined;
  if (settings === undefined) {
    const known = Object.keys(named);
    const there = known.length === 0 ? "there is none" : `there are: ${known.join(", ")}`;
    throw refused(
      `${ownSettingsFile} names no etcd cluster ${name} (${there}): add it under stores, as in docs/machines.md`,
    );
  }
  const { etcd: endpoints, user, password_file, ca } = settings;
  return new EtcdClient({
    ...{ name, endpoints },
    ...(user === undefined ? {} : { user, password: passwordIn(name, password_file) }),
    ...(ca === undefined ? {} : { ca: certificatesIn(name, ca) }),
  });
}

/** A cluster, by its name. @throws ConsultaError REFUSED as `etcdClient`. */
export function etcdHost(name: string, named: Readonly<Record<string, EtcdSettings>>): StoreHost {
  const client = etcdClient(name, named);
  const refFor = (session: string) => `session ${session}`;
  return {
    refFor,
    async find(session) {
      const asked = { key: base64(sessionKey(session)), count_only: true };
      const { count } = await client.call("/v3/kv/range", asked);
      return Number(count ?? 0) > 0 ? refFor(session) : undefined;
    },
    async sessions() {
      const [key = "", range_end = ""] = [sessionsPrefix, afterPrefix(sessionsPrefix)].map(base64);
      const asked = { key, range_end, keys_only: true, limit: "10000" };
      const { kvs } = await client.call("/v3/kv/range", asked);
      return (Array.isArray(kvs) ? kvs : [])
        .map((it) => fromBase64(it?.key).slice(sessionsPrefix.length))
        .filter((id) => isSafeName(id));
    },
    refuseUnprovable: () => refuseWideGrant(client),
  };
}

/**
 * Asks whether who is signed in may write as somebody that nobody is. Nothing is written: the cluster looks at the
 * right before the condition, which never holds.
 * @throws ConsultaError REFUSED where it may: then it may write as everybody, and no event proves anything.
 */
async function refuseWideGrant(client: EtcdClient): Promise<void> {
  const key = base64(senderKey("none", "no one", 1));
  const compare = [{ key, target: "CREATE", result: "LESS", create_revision: "0" }];
  const success = [{ request_put: { key, value: "" } }];
  try {
    await client.call("/v3/kv/txn", { compare, success, failure: [] });
  } catch (cause) {
    if (cause instanceof ConsultaError && cause.reason === "no permission") return;
    throw cause;
  }
  const reason = `${client.name} lets you write as anybody, so nothing would prove who wrote what`;
  const way = `its owner grants each user consulta/senders/NAME/ for its own names alone, as in docs/machines.md`;
  throw refused(`${reason}: ${way}`);
}

function passwordIn(name: string, file: string | undefined): string {
  if (file === undefined) throw missing(name, "password_file", "the user has");
  const path = inHome(file);
  const text = readOwnFile(path, remoteLimits.entryBytes, "it holds a password", 0o077);
  if (text === undefined) throw missing(name, `password_file ${file}`, "is to hold the password");
  return text.replace(/\r?\n$/, "");
}

function certificatesIn(name: string, file: string): string {
  const text = readFileIfPresent(inHome(file), remoteLimits.placedBytes);
  if (text === undefined) throw missing(name, `ca ${file}`, "is to hold certificates");
  return text;
}

function missing(name: string, what: string, why: string): ConsultaError {
  const where = `stores.${name} in ${ownSettingsFile}`;
  return refused(`${where}: ${what} is missing, which ${why}; correct it`);
}

function inHome(path: string): string {
  const folder = join(homeFolder(), ".consulta");
  if (path.startsWith("~/")) return join(homeFolder(), path.slice(2));
  return isAbsolute(path) ? path : resolve(folder, path);
}
