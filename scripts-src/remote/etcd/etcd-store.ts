import { isUtf8 } from "node:buffer";
import { dirname } from "node:path/posix";
import { setTimeout } from "node:timers/promises";
import { ConsultaError, refused } from "../../base/errors.ts";
import { isRecord, type JsonObject, quote } from "../../base/json.ts";
import { sha256 } from "../../files/hash.ts";
import type { EventDocument } from "../../log/event-log.ts";
import { forged, lineFault, newerOrForged, notTaken, rewritten, senderOf } from "../incoming.ts";
import { remoteLimits } from "../limits.ts";
import {
  type AppendEnd,
  type Arrival,
  changeOf,
  type DocumentChange,
  type DocumentText,
  type Gate,
  type RemoteStore,
  type StoredDocument,
} from "../remote-store.ts";
import type { EtcdClient } from "./etcd-client.ts";
import type { SeenEvents, SeenState } from "./seen-events.ts";
import {
  afterEvents,
  afterSession,
  base64,
  besideSession,
  bytesOf,
  type Changes,
  changed,
  eventIn,
  eventKey,
  eventValue,
  fromBase64,
  partKey,
  senderKey,
  sessionKey,
  type Versions,
} from "./stored-forms.ts";

interface EtcdHome {
  readonly client: EtcdClient;
  readonly session: string;
  readonly seen: SeenEvents;
  /** Of the log that the person keeps beside the session's, if one is: what was seen of it, and what looks at it. */
  readonly besides?: Pick<EtcdHome, "seen" | "gate"> | undefined;
  /** Whether each event has to prove who wrote it; a session that was joined says so with its first. */
  readonly isSigned: boolean;
  /** Looks at what comes in. */
  readonly gate: Gate;
  /** Told when a session that was joined turns out to be signed; absent where that is known. */
  onSigned?(): void;
}

/** A key with what it holds, and by which transactions it was made and changed last. */
interface Stored {
  readonly key: string;
  readonly value: Buffer;
  readonly madeBy: string;
  readonly changedBy: string;
}

/** An event that came in, and the one transaction that its key tells of; undefined where it was changed. */
interface CameIn {
  readonly seq: number;
  readonly value: Buffer;
  readonly transaction: string | undefined;
}

/**
 * The events of a session as keys of an etcd cluster, one for each. An event is stored by a transaction
 * that asks for the key before it and for none in its place, which is the compare-and-swap. Documents are
 * stored by what they hold, before the event that names them. Where events are signed, the transaction makes a
 * key as well that only the sender's user may make.
 */
export class EtcdStore implements RemoteStore {
  readonly beside: EtcdStore | undefined;
  readonly #home: EtcdHome;
  readonly #client: EtcdClient;
  readonly #session: string;
  readonly #seen: SeenEvents;
  #isSigned: boolean;
  /** The lines that this process read, by their seq. */
  readonly #lines = new Map<number, string>();

  constructor(home: EtcdHome) {
    this.#home = home;
    this.#client = home.client;
    this.#session = home.session;
    this.#seen = home.seen;
    this.#isSigned = home.isSigned;
    const { client, isSigned, besides } = home;
    if (besides !== undefined)
      this.beside = new EtcdStore({
        ...{ client, isSigned, ...besides, session: besideSession(home.session) },
      });
  }

  get where(): string {
    return `session ${this.#session} on ${this.#client.name}`;
  }

  ring(onNews: () => void, onEnd: () => void): () => void {
    const [key = "", range_end = ""] = [
      eventKey(this.#session, 1),
      afterSession(this.#session),
    ].map(base64);
    return this.#client.watch({ key, range_end }, onNews, onEnd);
  }

  async count(): Promise<number> {
    return this.#seen.read().count;
  }

  async fetch(): Promise<number> {
    const seen = this.#seen.read();
    let at = await this.#lastSeen(seen);
    const fresh: CameIn[] = [];
    const arrivals: Arrival[] = [];
    for await (const stored of this.#valuesFrom(at.count + 1)) {
      const { versions: before } = at;
      const next = this.#next(at, stored);
      if (typeof next === "string") throw this.#hostile(at.count + 1, next);
      at = next;
      fresh.push(stored);
      const line = this.#lines.get(stored.seq) ?? "";
      arrivals.push({ seq: stored.seq, line, changes: this.#changes(before, at.versions) });
    }
    if (seen.count === 0 && at.count > 0) await this.#lookWhetherSigned();
    await this.#prove(fresh);
    const found = await this.#home.gate(arrivals, this);
    if (found !== undefined) {
      const what = `event ${found.seq} of ${this.where} ${found.fault}`;
      throw notTaken(what, newerOrForged("wrote"));
    }
    if (at.count > seen.count) this.#seen.note(at);
    return this.#seen.read().count;
  }

  async linesAfter(seq: number): Promise<string[]> {
    const { count } = this.#seen.read();
    const lines: string[] = [];
    for (let at = seq + 1; at <= count && this.#lines.has(at); at += 1)
      lines.push(this.#lines.get(at) ?? "");
    if (seq + lines.length >= count) return lines;
    return this.#readLines(seq, count);
  }

  async append(seq: number, line: string, documents: readonly EventDocument[]): Promise<AppendEnd> {
    const seen = this.#seen.read();
    if (seen.count !== seq - 1) return "taken";
    const changes = await this.#storeDocuments(documents, seen.versions);
    const value = eventValue(line, changes);
    if ((await this.#storeOnce(seq, value, line)) === "taken") return "taken";
    this.#lines.set(seq, line);
    this.#seen.note({ count: seq, last: sha256(line), versions: changed(seen.versions, changes) });
    return "stored";
  }

  async documents(): Promise<StoredDocument[]> {
    return [...this.#seen.read().versions].map(([path, version]) => ({ path, version }));
  }

  async read(documents: readonly StoredDocument[]): Promise<DocumentText[]> {
    const texts: DocumentText[] = [];
    for (const { path, version } of documents)
      texts.push({ path, bytes: await this.#document(version) });
    return texts;
  }

  #changes(before: Versions, after: Versions): DocumentChange[] {
    const paths = new Set([...before.keys(), ...after.keys()]);
    const changed = [...paths].filter((path) => before.get(path) !== after.get(path));
    return changed.map((path) => changeOf(this, path, before.get(path), after.get(path)));
  }

  /** What was seen, after a look whether it is still there. */
  async #lastSeen(seen: SeenState): Promise<SeenState> {
    if (seen.count === 0) return seen;
    const value = await this.#value(eventKey(this.#session, seen.count));
    if (value === undefined) throw await this.#lost(seen.count);
    const [line = ""] = value.split("\n", 1);
    if (sha256(line) !== seen.last)
      throw this.#rewritten(`event ${seen.count} is not the one that was seen last`);
    this.#lines.set(seen.count, line);
    return seen;
  }

  /** What was seen with one event more; or what is wrong with that event, to follow its name. */
  #next(before: SeenState, { seq, value }: CameIn): SeenState | string {
    if (seq !== before.count + 1) return "is missing";
    if (!isUtf8(value)) return "is not UTF-8";
    const found = eventIn(value.toString("utf8"), before.versions);
    if (typeof found === "string") return found;
    const known = before.count === 0 ? "" : (this.#lines.get(before.count) ?? "");
    const fault = lineFault(found.line, seq, known);
    if (fault !== undefined) return fault;
    this.#lines.set(seq, found.line);
    return { count: seq, last: sha256(found.line), versions: found.versions };
  }

  async #readLines(seq: number, count: number): Promise<string[]> {
    const lines: string[] = [];
    let before: SeenState = { count: seq, last: "", versions: new Map() };
    if (seq > 0) {
      const value = (await this.#value(eventKey(this.#session, seq))) ?? "";
      this.#lines.set(seq, value.split("\n", 1)[0] ?? "");
    }
    const fresh: CameIn[] = [];
    for await (const stored of this.#valuesFrom(seq + 1)) {
      if (stored.seq > count) break;
      fresh.push(stored);
      const next = this.#next(before, stored);
      // All of these were seen, and sound then.
      if (typeof next === "string") throw this.#rewritten(`event ${before.count + 1} ${next}`);
      before = next;
      lines.push(this.#lines.get(stored.seq) ?? "");
    }
    if (seq + lines.length < count)
      throw this.#rewritten(`event ${seq + lines.length + 1} is gone`);
    await this.#prove(fresh);
    return lines;
  }

  /** A session whose first event proves its sender is signed as a whole, for those who join it. */
  async #lookWhetherSigned(): Promise<void> {
    const { onSigned } = this.#home;
    if (this.#isSigned || onSigned === undefined) return;
    const [proof] = await this.#proofs([1]);
    if (proof === undefined) return;
    this.#isSigned = true;
    onSigned();
  }

  /** @throws ConsultaError REFUSED for the first event that its sender's user did not store. */
  async #prove(events: readonly CameIn[]): Promise<void> {
    if (!this.#isSigned) return;
    for (let from = 0; from < events.length; from += remoteLimits.etcdEvents) {
      const some = events.slice(from, from + remoteLimits.etcdEvents);
      const proofs = await this.#proofs(some.map(({ seq }) => seq));
      for (const [index, { seq, transaction }] of some.entries()) {
        const proof = proofs[index];
        if (proof !== undefined && transactionOf(proof) === transaction) continue;
        const sender = quote(this.#senderOf(seq));
        throw this.#hostile(
          seq,
          `was not stored by a user of the cluster who may write as ${sender}`,
        );
      }
    }
  }

  /** Of events whose lines were looked at, the keys that only their senders' users may make. */
  async #proofs(seqs: readonly number[]): Promise<(Stored | undefined)[]> {
    const asked = seqs.map((seq) => ({
      request_range: {
        key: base64(senderKey(this.#session, this.#senderOf(seq), seq)),
        // Who made it counts; what it holds may be megabytes of anything.
        keys_only: true,
      },
    }));
    const { responses } = await this.#client.call("/v3/kv/txn", { success: asked });
    const found = Array.isArray(responses) ? responses : [];
    return seqs.map((_, index) => storedIn(found[index]?.response_range)[0]);
  }

  #senderOf(seq: number): string {
    return senderOf(this.#lines.get(seq) ?? "");
  }

  async #storeOnce(seq: number, value: string, line: string): Promise<AppendEnd> {
    const transaction = this.#transaction(seq, value, senderOf(line));
    /** Whether an earlier try may have stored it without our hearing of it. */
    let mayBeOurs = false;
    for (let tries = 1; ; tries += 1) {
      const isStored = await this.#client
        .call("/v3/kv/txn", transaction, { isAskedOnce: true })
        .then(
          (answer) => answer["succeeded"] === true,
          (cause: unknown) => {
            if (!isUnavailable(cause)) throw this.#notLet(cause, line);
            if (tries === remoteLimits.etcdTries) throw cause;
            return undefined;
          },
        );
      if (isStored === true) return "stored";
      mayBeOurs ||= isStored === undefined;
      const there = await this.#value(eventKey(this.#session, seq));
      if (there !== undefined) return mayBeOurs && there === value ? "stored" : "taken";
      if (isStored === false) throw this.#rewritten(`event ${seq - 1}, seen last, is gone`);
      await setTimeout(Math.random() * remoteLimits.backOffMs * 2 ** tries);
    }
  }

  #transaction(seq: number, value: string, sender: string): JsonObject {
    const place = eventKey(this.#session, seq);
    const created = (key: string, result: string) => ({
      ...{ key: base64(key), target: "CREATE", result, create_revision: "0" },
    });
    const before = seq === 1 ? [] : [created(eventKey(this.#session, seq - 1), "GREATER")];
    const put = (key: string, text: string) => ({
      request_put: { key: base64(key), value: base64(text) },
    });
    const listed = seq === 1 ? [put(sessionKey(this.#session), "")] : [];
    const proof = this.#isSigned ? [put(senderKey(this.#session, sender, seq), "")] : [];
    return {
      compare: [created(place, "EQUAL"), ...before],
      success: [put(place, value), ...listed, ...proof],
      failure: [],
    };
  }

  async #storeDocuments(documents: readonly EventDocument[], known: Versions): Promise<Changes> {
    const changes: Record<string, string | null> = {};
    for (const { path, bytes } of documents) {
      const version = bytes && `${sha256(bytes)}.${bytes.length}`;
      if (version === (known.get(path) ?? null)) continue;
      changes[path] = version;
      if (bytes !== null && version !== null) await this.#storeParts(version, bytes);
    }
    return changes;
  }

  async #storeParts(version: string, bytes: Uint8Array): Promise<void> {
    for (let part = 0; part < partsOf(version); part += 1) {
      const from = part * remoteLimits.etcdPartBytes;
      const value = Buffer.from(bytes.subarray(from, from + remoteLimits.etcdPartBytes));
      const key = base64(partKey(this.#session, version, part));
      await this.#client.call("/v3/kv/put", { key, value: value.toString("base64") });
    }
  }

  async #document(version: string): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let part = 0; part < partsOf(version); part += 1) {
      const [found] = await this.#range({ key: partKey(this.#session, version, part) });
      parts.push(found?.value ?? Buffer.alloc(0));
    }
    const bytes = Buffer.concat(parts);
    if (`${sha256(bytes)}.${bytes.length}` === version) return bytes;
    // Its parts are stored before the event that names it: somebody removed or changed them, or never had any.
    const reason = `a document of ${this.where} is not what its event names, or is gone`;
    throw refused(`${reason}: ask who may write there`);
  }

  async *#valuesFrom(first: number): AsyncGenerator<CameIn> {
    const limit = remoteLimits.etcdEvents;
    for (let next = first; ; ) {
      const range = { key: eventKey(this.#session, next), end: afterEvents(this.#session), limit };
      const found = await this.#range(range);
      for (const stored of found) {
        const seq = Number(stored.key.slice(-12));
        yield { seq, value: stored.value, transaction: transactionOf(stored) };
        next = seq + 1;
      }
      if (found.length < limit) return;
    }
  }

  async #value(key: string): Promise<string | undefined> {
    const [found] = await this.#range({ key });
    return found?.value.toString("utf8");
  }

  /** Keys with their values, or without, in order, as the cluster agrees on them now. */
  async #range({ key, end, limit, isOfKeys = false }: Range) {
    const upTo = end === undefined ? {} : { range_end: base64(end), limit: String(limit ?? 0) };
    const asked = { key: base64(key), ...upTo, ...(isOfKeys ? { keys_only: true } : {}) };
    return storedIn(await this.#client.call("/v3/kv/range", asked));
  }

  /** In a session that is signed the right that is missing is most often that to write as the sender. */
  #notLet(cause: unknown, line: string): unknown {
    if (!this.#isSigned || !(cause instanceof ConsultaError)) return cause;
    const key = dirname(senderKey(this.#session, senderOf(line), 1));
    const reason = `${cause.message}; and its owner has to let you write below ${dirname(key)}/`;
    return new ConsultaError(cause.code, `${reason}: this session is signed`);
  }

  /** The last event is gone: with all others, as in a cluster that was wiped, or alone. */
  async #lost(count: number): Promise<ConsultaError> {
    const range = { key: eventKey(this.#session, 1), end: afterEvents(this.#session), limit: 1 };
    const [first] = await this.#range({ ...range, isOfKeys: true });
    if (first !== undefined) return this.#rewritten(`event ${count}, seen last, is gone`);
    const reason = `${this.where} is gone with all its events, and ${count} were seen of it`;
    return refused(
      `${reason}: nothing was changed here, and report reads on; ask who may write there whether it was wiped; if it does not come back, move the session's folder away`,
    );
  }

  #rewritten(how: string): ConsultaError {
    const seen = this.#seen.storeFolder;
    return rewritten(
      `history was rewritten: of ${this.where}, ${how}; nothing was changed here; ask who may write there; where it is to stay (a snapshot of the cluster that was restored, or another session of the name), your user moves the session's folder and ${seen} away, and joins it; what was said here stays in that folder`,
    );
  }

  #hostile(seq: number, fault: string): ConsultaError {
    return forged(`event ${seq} of ${this.where} ${fault}`, "ask who wrote it");
  }
}

interface Range {
  readonly key: string;
  readonly end?: string;
  readonly limit?: number;
  readonly isOfKeys?: boolean;
}

function storedIn(range: unknown): Stored[] {
  const kvs = isRecord(range) ? range["kvs"] : undefined;
  return (Array.isArray(kvs) ? kvs : []).filter(isRecord).map((it) => ({
    key: fromBase64(it["key"]),
    value: Buffer.from(String(it["value"] ?? ""), "base64"),
    madeBy: String(it["create_revision"] ?? ""),
    changedBy: String(it["mod_revision"] ?? ""),
  }));
}

/** The transaction that made a key which nobody has changed since. */
function transactionOf({ madeBy, changedBy }: Stored): string | undefined {
  return madeBy === changedBy && madeBy !== "" ? madeBy : undefined;
}

function isUnavailable(cause: unknown): boolean {
  return cause instanceof ConsultaError && cause.code === "UNAVAILABLE";
}

function partsOf(version: string): number {
  return Math.ceil(bytesOf(version) / remoteLimits.etcdPartBytes);
}
