import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ConsultaError, refused, unavailable } from "../../base/errors.ts";
import { shellWord } from "../../base/quote-text.ts";
import { oneLine, withoutCredentials } from "../../base/visible-text.ts";
import { namesIn } from "../../files/atomic-file.ts";
import { existsSync } from "../../files/disk.ts";
import type { EventDocument } from "../../log/event-log.ts";
import { eventOf, forged, newerOrForged, notTaken, rewritten } from "../incoming.ts";
import type { FoundEntry, StoreEntry } from "../known-stores.ts";
import { remoteLimits } from "../limits.ts";
import type {
  AppendEnd,
  DocumentText,
  Gate,
  RemoteStore,
  StoredDocument,
} from "../remote-store.ts";
import { addressOf, ownGit } from "./address.ts";
import { CommitSignatures } from "./commit-signatures.ts";
import {
  arrivalsOf,
  beginsSigned,
  documentsIn,
  type EventCommit,
  objectsOf,
  readCommits,
} from "./commits.ts";
import { draftCommit } from "./draft-commit.ts";
import { Git, type GitEnd, withQuietSsh } from "./run-git.ts";
import {
  askHost,
  besideRef,
  branchRef,
  namesFrom,
  namesThere,
  outOfReach,
  seenTip,
  sessionOfRef,
} from "./session-refs.ts";

/** Where a session's events are kept, and where git keeps them here. */
export interface GitHome {
  /** In a bare repository of ours, outside of every project. */
  readonly git: Git;
  readonly fetchUrl: string;
  readonly pushUrl: string;
  /** The remote as the user named it. */
  readonly remote: string;
  /** `refs/consulta/ID`, or `refs/heads/consulta/ID` where a host takes only branches. */
  readonly ref: string;
  /** Whether each event has to prove who wrote it; a session that was joined says so with its first. */
  readonly isSigned: boolean;
  /** Looks at what comes into the log that the person keeps beside the session's, if one is: see `besideRef`. */
  readonly besideGate?: Gate | undefined;
  signatures(): CommitSignatures;
  /** Looks at what comes in. */
  readonly gate: Gate;
  /** Told when the host takes the session under another ref than this; absent where that is known. */
  onRef?(ref: string): void;
  /** Told when a session that was joined turns out to be signed; absent where that is known. */
  onSigned?(): void;
}

interface Looked {
  /** Our tip as it was before the look: other processes of this machine move it, and only forward. */
  readonly known: string | undefined;
  readonly there: string | undefined;
}

/**
 * The events of a session as commits on one ref of a git remote: the message is the event's line, the
 * parent the event before. The host takes a plain push only where it goes on from what is there, which
 * is the compare-and-swap; nothing is ever forced. What came in was looked at, commit by commit.
 */
export class GitStore implements RemoteStore {
  readonly beside: GitStore | undefined;
  #home: GitHome;
  /** What a look has found that was made for something else, for the next fetch. */
  #looked: Looked | undefined;
  /** What a commit never changes is asked once. */
  #event: EventCommit | undefined;
  #tree: { readonly of: string; readonly documents: StoredDocument[] } | undefined;

  constructor(home: GitHome) {
    this.#home = home;
    const { besideGate: gate, onRef: _, onSigned: __, ...rest } = home;
    if (gate !== undefined) this.beside = new GitStore({ ...rest, gate, ref: besideRef(home.ref) });
  }

  get where(): string {
    return `${this.#home.ref} on ${this.#home.remote}`;
  }

  async count(): Promise<number> {
    const tip = await this.#tip();
    return tip === undefined ? 0 : (await this.#commit(tip)).seq;
  }

  async fetch(): Promise<number> {
    for (;;) {
      const { known, there } = this.#looked ?? (await this.#look());
      this.#looked = undefined;
      if (there === known) return this.count();
      if (there === undefined) throw await this.#gone(known ?? "");
      const commits = await this.#commitsBetween(known, there);
      await this.#documentsIn(there);
      await this.#passGate(commits);
      const moved = await this.#moveTip(there, known);
      if (moved.exitCode === 0) {
        await mergePacks(this.#home.git);
        return commits.at(-1)?.seq ?? 0;
      }
      // Another process of this machine may have brought the same, or more.
      if ((await this.#tip()) === known) throw this.#home.git.failed(["update-ref"], moved);
    }
  }

  async linesAfter(seq: number): Promise<string[]> {
    const tip = await this.#tip();
    if (tip === undefined) return [];
    const { seq: last } = await this.#commit(tip);
    if (last <= seq) return [];
    const count = last - seq + (seq > 0 ? 1 : 0);
    const listed = await this.#list([`--max-count=${count}`, tip]);
    const [first = ""] = listed;
    const before = seq === 0 ? undefined : await this.#commit(first.split(" ", 1)[0] ?? "");
    const commits = await readCommits(this.#home.git, listed.slice(before ? 1 : 0), before);
    return commits.map(({ line }) => line);
  }

  async append(seq: number, line: string, documents: readonly EventDocument[]): Promise<AppendEnd> {
    const { git } = this.#home;
    const signatures = this.#signatures();
    const parent = await this.#tip();
    const last = parent === undefined ? 0 : (await this.#commit(parent)).seq;
    if (last !== seq - 1) return "taken";
    const commit = await draftCommit(git, { parent, line, documents, signatures });
    for (let tries = 1; ; tries += 1) {
      const end = await this.#push(commit);
      if (end.exitCode === 0) return this.#stored(commit, parent);
      const there = await this.#tipAfter(end);
      if (there === commit) return this.#stored(commit, parent);
      if (there !== parent) {
        this.#looked = { known: parent, there };
        return this.#lookFor(commit);
      }
      if (seq === 1 && tries === 1 && (await this.#asBranch(commit))) return "stored";
      if (tries === remoteLimits.pushTries) throw this.#rejectedBy(end);
      await setTimeout(Math.random() * remoteLimits.backOffMs * 2 ** tries);
    }
  }

  async documents(): Promise<StoredDocument[]> {
    const tip = await this.#tip();
    return tip === undefined ? [] : this.#documentsIn(tip);
  }

  async read(documents: readonly StoredDocument[]): Promise<DocumentText[]> {
    const versions = documents.map(({ version }) => version);
    const objects = await objectsOf(this.#home.git, versions);
    return documents.flatMap(({ path }, index) => {
      const bytes = objects[index]?.bytes;
      return bytes === undefined ? [] : [{ path, bytes }];
    });
  }

  /** The last event that was looked at on this machine. */
  #tip(ref = this.#home.ref): Promise<string | undefined> {
    return seenTip(this.#home.git, ref);
  }

  async #documentsIn(commit: string): Promise<StoredDocument[]> {
    if (this.#tree?.of !== commit)
      this.#tree = { of: commit, documents: await documentsIn(this.#home.git, commit) };
    return this.#tree.documents;
  }

  async #commit(id: string): Promise<EventCommit> {
    if (this.#event?.id === id) return this.#event;
    const [object] = await objectsOf(this.#home.git, [id]);
    const text = object?.bytes.toString("utf8") ?? "";
    const line = text.slice(text.indexOf("\n\n") + 2).trimEnd();
    this.#event = { id, seq: eventOf(line, `commit ${id}`).seq, line };
    return this.#event;
  }

  /**
   * Where the remote is, with all that leads there: one call over the network, of which the host answers for these
   * names alone.
   * @throws ConsultaError UNAVAILABLE when the host cannot be asked.
   */
  async #look(): Promise<Looked> {
    const { git, fetchUrl, ref } = this.#home;
    const { beside } = this;
    const known = await this.#tip();
    const knownBeside = beside && (await beside.#tip());
    const { fetchMs: timeoutMs, callMs: silentMs } = remoteLimits;
    const limits = { timeoutMs, silentMs };
    const wanted = beside === undefined ? [ref] : [ref, namesFrom(beside.#home.ref)];
    const { end, refs } = await askHost(git, fetchUrl, wanted, limits);
    const there = refs.get(ref);
    if (end.rejected !== undefined)
      throw forgedPush(`git itself rejects what is ${this.where} (${end.rejected})`, known);
    const isMissing = end.exitCode !== 0 && /couldn't find remote ref/.test(end.said);
    if (!isMissing && (end.exitCode !== 0 || there === undefined))
      throw outOfReach(this.where, end);
    // What is new of it is fetched by a look of its own.
    const isSame = beside && refs.get(beside.#home.ref) === knownBeside;
    if (beside) beside.#looked = isSame ? { known: knownBeside, there: knownBeside } : undefined;
    return { known, there };
  }

  /** What is between two events, looked at. */
  async #commitsBetween(known: string | undefined, there: string): Promise<EventCommit[]> {
    const listed = await this.#list([there, ...(known === undefined ? [] : [`^${known}`])]);
    // A tag stands for what it leads to, and of other objects nothing is listed.
    if (listed.at(-1)?.startsWith(there) !== true) await this.#refuseNoCommit(known, there);
    const [, parent = ""] = listed[0]?.split(" ") ?? [];
    if (parent !== (known ?? "")) throw await this.#rewritten(known ?? "", there);
    const before = known === undefined ? undefined : await this.#commit(known);
    if (known === undefined) await this.#lookWhetherSigned(listed[0] ?? "");
    return readCommits(this.#home.git, listed, before, this.#signatures());
  }

  async #refuseNoCommit(known: string | undefined, there: string): Promise<void> {
    const type = (await this.#home.git.ask(["cat-file", "-t", there])).toString("latin1").trim();
    if (type === "commit") return;
    throw forgedPush(`${this.where} is ${there}, which is a ${type} and no event`, known);
  }

  /** @throws ConsultaError REFUSED for the first that the session's kind does not take. */
  async #passGate(commits: readonly EventCommit[]): Promise<void> {
    const { git, gate } = this.#home;
    const found = await gate(await arrivalsOf(git, commits, this), this);
    if (found === undefined) return;
    const commit = commits.find(({ seq }) => seq === found.seq)?.id ?? "";
    throw notTaken(`commit ${commit} ${found.fault}`, newerOrForged("pushed"));
  }

  /** A session that begins with a signature is signed as a whole, for those who join it. */
  async #lookWhetherSigned(first: string): Promise<void> {
    const { isSigned, onSigned, git } = this.#home;
    if (isSigned || onSigned === undefined || !(await beginsSigned(git, first))) return;
    this.#home = { ...this.#home, isSigned: true };
    onSigned();
  }

  #signatures(): CommitSignatures | undefined {
    return this.#home.isSigned ? this.#home.signatures() : undefined;
  }

  /** Commits as `id parent...`, oldest first. */
  #list(words: readonly string[]): Promise<string[]> {
    const order = ["rev-list", "--topo-order", "--reverse", "--parents"];
    return this.#home.git.lines([...order, ...words]);
  }

  /** Fails where another process of this machine was faster. */
  #moveTip(to: string, from: string | undefined): Promise<GitEnd> {
    const { git, ref } = this.#home;
    return git.run({ words: ["update-ref", ref, to, from ?? "0".repeat(to.length)] });
  }

  #push(commit: string): Promise<GitEnd> {
    const { git, pushUrl, ref } = this.#home;
    const words = ["push", "--no-verify", "--no-signed", "--porcelain", "--quiet", "--"];
    return git.run({ words: [...words, pushUrl, `${commit}:${ref}`] });
  }

  /** Some hosts take branches and tags alone: asked once, with the first event. */
  async #asBranch(commit: string): Promise<boolean> {
    const before = this.#home;
    const ref = branchRef(sessionOfRef(before.ref));
    if (ref === before.ref || before.onRef === undefined) return false;
    this.#home = { ...before, ref };
    const isTaken =
      (await this.#look()).there === undefined && (await this.#push(commit)).exitCode === 0;
    if (isTaken) {
      await this.#stored(commit, undefined);
      before.onRef(ref);
    } else {
      this.#home = before;
    }
    return isTaken;
  }

  async #stored(commit: string, parent: string | undefined): Promise<"stored"> {
    // Who fails here was overtaken by a process that fetched it.
    await this.#moveTip(commit, parent);
    return "stored";
  }

  /** The host's word on a push that failed. */
  async #tipAfter(end: GitEnd): Promise<string | undefined> {
    try {
      return (await this.#look()).there;
    } catch (cause) {
      if (!(cause instanceof ConsultaError)) throw cause;
      throw outOfReach(this.where, end);
    }
  }

  /** Somebody's event is where ours was to be: unless it is ours, and only the host's answer was lost. */
  async #lookFor(commit: string): Promise<AppendEnd> {
    await this.fetch();
    const words = ["merge-base", "--is-ancestor", commit, this.#home.ref];
    return (await this.#home.git.run({ words })).exitCode === 0 ? "stored" : "taken";
  }

  #rejectedBy({ said, stdout }: GitEnd): ConsultaError {
    const { remote, ref } = this.#home;
    // `--porcelain`: what the host says of the ref; the lines of its hooks are in `said`.
    const [, answer] = /^!\t\S+\t(.+)$/m.exec(stdout.toString("utf8")) ?? [];
    const why =
      answer === undefined
        ? said
        : `${oneLine(answer).slice(0, remoteLimits.faultCharacters)}: ${said}`;
    return unavailable(
      `${remote} does not take ${ref} (${why}); may you push there? then run the same command again`,
    );
  }

  async #gone(known: string): Promise<ConsultaError> {
    const way = `if it is not to go on, move the session's folder away; if it is, ${await this.#wayBack(known)}`;
    return refused(
      `${this.where} was deleted, and event ${known} was its last: nothing was changed here, and report reads on; ${way}`,
    );
  }

  async #rewritten(known: string, there: string): Promise<ConsultaError> {
    const what = `history was rewritten: ${this.where} is ${there}, which does not go on from ${known}, seen last; nothing was changed here`;
    const { git } = this.#home;
    const { stdout } = await git.run({ words: ["merge-base", known, there] });
    const shared = stdout.toString("latin1").trim();
    if (shared === there) {
      const reason = "it was moved back, by hand or with a backup of the host";
      return rewritten(`${what}: ${reason}; ask its owner, and ${await this.#wayBack(known)}`);
    }
    const alike = shared === "" ? "no event" : `events up to ${(await this.#commit(shared)).seq}`;
    const why = "a backup of the host that was gone on from, or another session of the name";
    return rewritten(
      `${what}; ${alike} of both are the same; ask who pushed it; where it is to stay (${why}), your user moves the session's folder and ${dirname(git.repository)} away, and joins it; what was said here stays in that folder`,
    );
  }

  /** What brings back all that is known here, with the user's own log: a plain push, as it only goes on. */
  async #wayBack(known: string): Promise<string> {
    const { git, pushUrl, ref } = this.#home;
    const beside = await this.#tip(besideRef(ref));
    const refs = [`${known}:${ref}`, ...(beside ? [`${beside}:${besideRef(ref)}`] : [])];
    const words = ["-C", git.repository, "push", withoutCredentials(pushUrl), ...refs];
    return `put it back: git ${words.map(shellWord).join(" ")}`;
  }
}

/**
 * Makes one pack of the many that fetches have left in a repository of ours, if there are: git's own
 * housekeeping is off there, and what git checks as it comes (`fetch.fsckObjects`) it leaves packed. Other
 * processes may read, fetch and append meanwhile: nothing is dropped (`-k`), and a pack goes when the new one is whole.
 */
async function mergePacks(git: Git): Promise<void> {
  const names = namesIn(join(git.repository, "objects", "pack"));
  if (names.filter((name) => name.endsWith(".pack")).length < remoteLimits.packs) return;
  const words = ["-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-k", "-l", "-n", "-q"];
  // A failure changes nothing: the next fetch tries again.
  await git.run({ words, timeoutMs: remoteLimits.mergeMs });
}

/** What came is nothing of ours. The last event seen stays: it is what rewritten history is known by. */
function forgedPush(what: string, known: string | undefined): ConsultaError {
  const back = known === undefined ? "" : ` to ${known}, the last event seen here`;
  return forged(what, `ask who pushed it, and have the ref put back${back}`);
}

/** Opens the store of a session, and makes the repository here that it needs; `onFound` hears what it learns. */
export async function openGitStore(
  entry: FoundEntry,
  named: Readonly<Record<string, string>>,
  gates: Pick<GitHome, "gate" | "besideGate">,
  onFound: (found: Partial<Pick<StoreEntry, "ref" | "isSigned">>) => void,
): Promise<GitStore> {
  const { remote, fetchUrl, pushUrl } = await addressOf(entry.remote, entry.project, named);
  const repository = join(entry.at, "repository.git");
  const place = { folder: entry.at, repository, projects: [entry.project, entry.folder] };
  const git = new Git(place);
  const quiet = await withQuietSsh(git);
  // The name of its first branch says that it was made whole.
  if (!existsSync(join(repository, "HEAD"))) {
    // Ours has to name objects by the hash of the remote.
    const asked = await withQuietSsh(ownGit(entry.project));
    const { hash } = await namesThere(asked, fetchUrl, remote, [entry.ref]);
    const environment = { GIT_DEFAULT_HASH: hash };
    const { projects } = place;
    await new Git({ folder: entry.at, projects, environment }).ask([
      ...["init", "--quiet", "--bare", "--template=", repository],
    ]);
  }
  const { ref, isSigned } = entry;
  return new GitStore({
    ...{ git: quiet, remote, fetchUrl, pushUrl, ref, isSigned, ...gates },
    signatures: () => new CommitSignatures({ git, folder: entry.at, projects: place.projects }),
    onRef: (found) => onFound({ ref: found }),
    onSigned: () => onFound({ isSigned: true }),
  });
}
