import { join } from "node:path";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { existsSync } from "../../files/disk.ts";
import type { Gate } from "../intake-check.ts";
import type { FoundEntry, StoreEntry } from "../store-entry.ts";
import { addressOf } from "./address.ts";
import { CommitSignatures } from "./commit-signatures.ts";
import { GitStore } from "./git-store.ts";
import { Git } from "./run-git.ts";

/** Opens the store of a session, and makes the repository here that it needs; `onFound` hears what it learns. */
export async function openGitStore(
  entry: FoundEntry,
  named: Readonly<Record<string, string>>,
  gate: Gate,
  onFound: (found: Partial<Pick<StoreEntry, "ref" | "isSigned">>) => void,
  hasBeside: boolean,
): Promise<GitStore> {
  const address = await addressOf(entry.remote, entry.project, named);
  const repository = join(entry.at, "repository.git");
  const place = { folder: entry.at, repository, projects: [entry.project, entry.folder] };
  const git = new Git(place);
  // The name of its first branch says that it was made whole.
  if (!existsSync(join(repository, "HEAD")))
    await new Git({ folder: entry.at, projects: place.projects }).ask([
      ...["init", "--quiet", "--bare", "--template=", repository],
    ]);
  writeSettings(repository);
  const { remote, fetchUrl, pushUrl } = address;
  const reached = await withQuietSsh(git);
  return new GitStore({
    ...{ git: reached, remote, fetchUrl, pushUrl, ref: entry.ref, isSigned: entry.isSigned },
    hasBeside,
    gate,
    signatures: () => new CommitSignatures({ git, folder: entry.at, projects: place.projects }),
    onRef: (ref) => onFound({ ref }),
    onSigned: () => onFound({ isSigned: true }),
  });
}

/** Nothing of the project's settings: they can name programs to run. */
function writeSettings(repository: string): void {
  const text = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";
  writeFileAtomically(join(repository, "config"), text, { sync: "nothing" });
}

/** ssh asks nothing: neither for a password nor whether it knows a host. */
export async function withQuietSsh(git: Git): Promise<Git> {
  const { GIT_SSH, GIT_SSH_COMMAND } = process.env;
  const set = (await git.run({ words: ["config", "--get", "core.sshCommand"] })).stdout;
  const named = GIT_SSH_COMMAND ?? set.toString("utf8").trim();
  // git calls such a program only where neither of those is, and it need not know these options.
  if (named === "" && GIT_SSH !== undefined) return git;
  const command = named || "ssh";
  return git.with({ GIT_SSH_COMMAND: `${command} -o BatchMode=yes -o ConnectTimeout=15` });
}
