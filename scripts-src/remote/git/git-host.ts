import { join } from "node:path";
import { refused } from "../../base/errors.ts";
import { isSafeName } from "../../base/names.ts";
import { once } from "../../base/once.ts";
import { homeFolder } from "../../files/home-folder.ts";
import { ensureFolder } from "../../files/safe-path.ts";
import { remoteLimits } from "../limits.ts";
import type { StoreHost } from "../remote-store.ts";
import { addressOf, ownGit, publicUrlOf, reachedUrl } from "./address.ts";
import { Git, withQuietSsh } from "./run-git.ts";
import { branchRef, namesThere, sessionOfRef, sessionRef } from "./session-refs.ts";

/**
 * A git remote, by its name.
 * @throws ConsultaError REFUSED where there is none of that name, and for one that anybody can read unless
 * that is what the user wants.
 */
export async function gitHost(
  remote: string,
  project: string,
  named: Readonly<Record<string, string>>,
  isPublicWanted: boolean,
): Promise<StoreHost> {
  const { fetchUrl, pushUrl } = await addressOf(remote, project, named);
  if (!isPublicWanted)
    for (const url of new Set([fetchUrl, pushUrl]))
      await refusePublic(await reachedUrl(url, project), remote);
  const git = once(() => withQuietSsh(ownGit(project)));
  const refsOf = async (session: string) => {
    const starts = [sessionRef(session), branchRef(session)];
    return (await namesThere(await git(), fetchUrl, remote, starts)).refs;
  };
  return {
    refFor,
    async find(session) {
      const refs = await refsOf(session);
      return [sessionRef(session), branchRef(session)].find((ref) => refs.has(ref));
    },
    async sessions() {
      const refs = [...(await refsOf("")).keys()];
      return refs.map(sessionOfRef).filter((id) => isSafeName(id));
    },
    refuseUnprovable: async () => undefined,
  };
}

function refFor(session: string): string {
  if (!session.endsWith(".lock")) return sessionRef(session);
  const reason = "git takes no session whose name ends in .lock";
  throw refused(`${reason}: choose another than ${session}`);
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
  throw refused(
    `anybody can read ${remote} (${url} answers without a password), and with it what is said in the session: use a private remote, or give --public`,
  );
}
