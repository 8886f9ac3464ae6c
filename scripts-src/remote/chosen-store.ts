import { join } from "node:path";
import { ConsultaError, refused } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import { nameHint } from "../base/nearest-name.ts";
import { existsSync } from "../files/disk.ts";
import { discard, removeTree } from "../files/safe-open.ts";
import { adoptLog, isCreatedLocally } from "../log/created-locally.ts";
import { commandLine, readerHere, readerInClone } from "../script/command-line.ts";
import { openSession } from "../session/open.ts";
import { hasStore, type Place } from "../session/place.ts";
import type { BegunThere, ChosenStore } from "../session/shared-stores.ts";
import {
  entriesOf,
  forgetStore,
  leaveStore,
  readEntry,
  renewEntry,
  type StoreEntry,
  sessionsKept,
  updateEntry,
  writeEntry,
} from "./known-stores.ts";
import { remoteLimits } from "./limits.ts";
import { openRemoteLog } from "./open-remote-log.ts";
import type { StoreHost } from "./remote-store.ts";

type Terms = Pick<StoreEntry, "store" | "remote" | "project" | "isSigned">;

/** A store that was asked for: where sessions of it begin, and come here from. */
export class AskedStore implements ChosenStore {
  readonly #host: StoreHost;
  readonly #terms: Terms;
  /** This store, and no other, is meant. */
  readonly #isMeant: boolean;

  constructor(host: StoreHost, terms: Terms, isMeant: boolean) {
    this.#host = host;
    this.#terms = terms;
    this.#isMeant = isMeant;
  }

  async begin(place: Place, id: string): Promise<BegunThere | undefined> {
    const ref = this.#host.refFor(id);
    if ((await this.#host.find(id)) !== undefined) return undefined;
    if (this.#terms.isSigned) await this.#host.refuseUnprovable();
    const entry = writeEntry({ ...this.#terms, session: id, ref, folder: place.folder });
    return {
      movedTo: (folder) => updateEntry({ ...entry, folder }),
      orForget() {
        if (isCreatedLocally(place.folder)) return;
        forgetStore(place.folder);
        if (existsSync(place.folder)) removeTree(place.folder);
      },
    };
  }

  taken(id: string): ConsultaError {
    const reason = `session ${id} is on ${this.#terms.remote} already`;
    const way = `choose another --session, or join it: ${joinLine(this.#terms, id)}`;
    return new ConsultaError("EXISTS", `${reason}: ${way}`);
  }

  invitation(id: string): string[] {
    const line = joinLine(this.#terms, id, readerInClone(this.#terms.project));
    return ["on another machine, in a clone of the project:", line];
  }

  async notJoined(inWorkspace: readonly string[]): Promise<{ id: string; join: string }[]> {
    const here = [...inWorkspace, ...sessionsKept(this.#terms)];
    const others = (await this.#host.sessions()).filter((id) => !here.includes(id));
    return others
      .slice(0, remoteLimits.sessionsTold)
      .map((id) => ({ id, join: joinLine(this.#terms, id) }));
  }

  async join(place: Place): Promise<{ readonly repeated: boolean }> {
    const { id, folder } = place;
    parseSessionId(id);
    if (existsSync(join(folder, "events.jsonl"))) {
      const other = this.#otherThan(folder);
      const reason = `a session ${id} is here already, and it is ${other}`;
      if (other !== undefined) throw refused(`${reason}: move ${folder} away first`);
      await openSession(place, { fetch: "unless-offline" });
      return { repeated: true };
    }
    const wasThere = existsSync(folder);
    const takeBack = await this.#note(place);
    try {
      const log = await openRemoteLog(place, {});
      await log.fetch();
      adoptLog(folder);
      if (readEntry(folder).isSigned) await this.#host.refuseUnprovable();
      // Whoever asks the store brings the views up to date as well.
      await openSession(place, { fetch: "unless-offline" });
    } catch (cause) {
      // What cannot be joined would stay as a session that no script can read.
      takeBack();
      if (wasThere) discard(join(folder, "events.jsonl"));
      else removeTree(folder);
      throw cause;
    }
    return { repeated: false };
  }

  /** Notes where the session is; returns what takes the note back. What was seen of it here before stays known. */
  async #note({ id: session, folder }: Place): Promise<() => void> {
    const ref = await this.#refThere(session);
    const mayBe = (it: StoreEntry) => it.isSigned || !this.#terms.isSigned;
    const known = entriesOf(session).find(
      (it) => it.folder === folder && this.#isSame(it) && mayBe(it),
    );
    if (known === undefined) {
      writeEntry({ ...this.#terms, session, ref, folder });
      return () => forgetStore(folder);
    }
    renewEntry(known);
    return () => leaveStore(folder);
  }

  /** What the session that is here is, where it is not the one that is asked for. */
  #otherThan(folder: string): string | undefined {
    if (!hasStore(folder)) return "kept here alone";
    const entry = readEntry(folder);
    const { store, remote, isSigned } = this.#terms;
    if (isSigned && !entry.isSigned) return "not signed";
    if (!this.#isMeant || this.#isSame(entry)) return undefined;
    return `kept on ${entry.store}:${entry.remote}, not on ${store}:${remote}`;
  }

  #isSame(entry: StoreEntry): boolean {
    return entry.store === this.#terms.store && entry.remote === this.#terms.remote;
  }

  async #refThere(id: string): Promise<string> {
    const ref = await this.#host.find(id);
    if (ref !== undefined) return ref;
    const names = (await this.#host.sessions()).slice(0, remoteLimits.sessionsTold);
    const hint = nameHint(id, names, "there are:");
    const way = names.length === 0 ? "there is none at all" : hint;
    throw refused(`no session ${id} on ${this.#terms.remote}; ${way}`);
  }
}

/** The line that brings a session of a store here. */
export function joinLine(
  { store, remote, isSigned }: Pick<StoreEntry, "store" | "remote" | "isSigned">,
  id: string,
  reader = readerHere(),
): string {
  const asked = store === "git" && remote === "origin" ? undefined : `${store}:${remote}`;
  const line = commandLine("join", { store: asked }, [id], reader);
  return isSigned ? `${line} --signed` : line;
}
