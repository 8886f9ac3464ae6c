import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type ConsultaError, refused } from "../base/errors.ts";
import { quote, textsIn } from "../base/json.ts";
import { once } from "../base/once.ts";
import { findSecret } from "../base/secrets.ts";
import { createFileExclusively } from "../files/atomic-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { markBegun } from "../log/created-locally.ts";
import type { LogEvent } from "../log/event.ts";
import {
  type CarriedDocuments,
  type Cursor,
  type EventDocument,
  type LogFollower,
  pagesOf,
} from "../log/event-log.ts";
import { FileEventLog, type FileEventLogOptions } from "../log/file-event-log.ts";
import { chainedLine, parseLine, toLine } from "../log/log-line.ts";
import { rewritten } from "./incoming.ts";
import { remoteLimits } from "./limits.ts";
import { changeOf, type Gate, type RemoteStore } from "./remote-store.ts";
import type { PlacedDocuments } from "./synced-documents.ts";
import { StoreWatch } from "./watch-store.ts";

/** What a session's log is made of: a store that machines share, and what they keep in the folder here. */
export interface RemoteLogParts {
  readonly folder: string;
  /** The store's, for people. */
  readonly where: string;
  /** Opens the store, when it is first asked: what is read here needs none. */
  open(): Promise<RemoteStore>;
  /** Absent where the log has none: nothing that its store holds is put anywhere. */
  readonly documents?: PlacedDocuments | undefined;
  /** The person's own log, which comes and is proved with the session's. */
  readonly beside?: RemoteEventLog | undefined;
  /** Told how far the copy goes when more has come. */
  onBrought?(seq: number): void;
  /** Where processes of this machine agree on which of them looks at the store. */
  readonly watchFile: string;
  /** Looks at what goes out as at what comes in. */
  readonly gate: Gate;
}

/**
 * The log of a session that several machines share. The store decides whose event comes next; the file
 * log in the session's folder is a copy, from which all is read, also where the store is out of reach.
 *
 *   append: line --store--> stored --> into the copy
 *                      \--> taken: what came is brought into the copy, and the caller decides again
 */
export class RemoteEventLog extends FileEventLog {
  readonly #parts: RemoteLogParts;
  readonly #store: () => Promise<RemoteStore>;
  readonly #begins: boolean;
  #losses = 0;

  constructor(parts: RemoteLogParts, options: FileEventLogOptions = {}) {
    super(parts.folder, options);
    this.#parts = parts;
    this.#store = once(() => parts.open());
    this.#begins = options.begins ?? false;
  }

  /** Reads every line of the store again, which looks at each of them. */
  override async differences(): Promise<string[]> {
    const own = await this.#ownDifferences();
    return [...own, ...((await this.#parts.beside?.differences()) ?? [])];
  }

  async #ownDifferences(): Promise<string[]> {
    const { where } = this.#parts;
    const lines = await (await this.#store()).linesAfter(0);
    let cursor = this.start;
    for (let more = true; more; ) {
      const page = await this.read(cursor);
      for (const [index, event] of page.events.entries()) {
        const line = lines[cursor.seq + index];
        const seq = cursor.seq + index + 1;
        if (line === undefined) return [`event ${seq} is not in ${where}, which ends before it`];
        if (toLine(event) !== line) return [`event ${seq} is not what ${where} has`];
      }
      ({ cursor, more } = page);
    }
    return cursor.seq === lines.length ? [] : [`event ${cursor.seq + 1} of ${where} is not here`];
  }

  override async fetch(): Promise<boolean> {
    await (await this.#store()).fetch();
    await this.#bring();
    await this.#parts.beside?.fetch();
    return true;
  }

  override async follow(follower: LogFollower): Promise<() => Promise<void>> {
    const { watchFile } = this.#parts;
    const watch = new StoreWatch(watchFile, this.#store, () => this.fetch(), follower);
    return () => watch.end();
  }

  override async append(
    after: Cursor,
    event: LogEvent,
    documents: CarriedDocuments = async () => [],
  ): Promise<Cursor | undefined> {
    if (event.seq !== after.seq + 1) {
      throw new RangeError(`event ${event.seq} cannot follow event ${after.seq}`);
    }
    // The place may be one that another machine knows.
    if (after.seq > 0 && (await this.at(after.seq)) === undefined) await this.fetch();
    const before = after.seq === 0 ? undefined : await this.#lineAt(after.seq);
    const line = chainedLine(event, before);
    const carried = await documents((path) => this.#sharedText(path));
    refuseSecrets(event, carried);
    await this.#passGate(event.seq, line, carried);
    const end = await (await this.#store()).append(event.seq, line, carried);
    if (end === "stored") {
      this.#losses = 0;
      return this.#stored(after, event, carried);
    }
    await this.fetch();
    await this.#backOff();
    return undefined;
  }

  async #stored(
    after: Cursor,
    event: LogEvent,
    documents: readonly EventDocument[],
  ): Promise<Cursor | undefined> {
    const cursor = await super.append(after, event);
    if (documents.length > 0) await this.#parts.documents?.sent(await this.#store(), documents);
    if (cursor !== undefined) return cursor;
    // Another process of this machine has brought it here meanwhile.
    await this.#bring();
    return this.placeAfter(after);
  }

  async #sharedText(path: string): Promise<Uint8Array | undefined> {
    const store = await this.#store();
    const stored = (await store.documents()).filter((it) => it.path === path);
    return (await store.read(stored))[0]?.bytes;
  }

  /** What other machines would not take is not sent: it could never be taken back. */
  async #passGate(seq: number, line: string, carried: readonly EventDocument[]): Promise<void> {
    if (carried.length === 0) return;
    const { gate, documents } = this.#parts;
    const store = await this.#store();
    const stored = await store.documents();
    const changes = carried.map(({ path, bytes }) => {
      const before = stored.find((it) => it.path === path)?.version;
      const change = changeOf(store, path, before, undefined);
      return bytes === null ? change : { ...change, after: async () => bytes };
    });
    const found = await gate([{ seq, line, changes }], store);
    if (found === undefined) return;
    const keptAs =
      found.path === undefined ? undefined : await documents?.putBack(store, found.path);
    const kept =
      keptAs === undefined ? "" : `; it is as your peers have it again, yours is ${keptAs}`;
    throw refused(`event ${seq} ${found.fault}: nothing was sent${kept}`);
  }

  /** Of many writers on many machines each waits a moment of its own before it tries again. */
  async #backOff(): Promise<void> {
    this.#losses += 1;
    const { backOffMs, backOffMsMax } = remoteLimits;
    await setTimeout(Math.random() * Math.min(backOffMsMax, backOffMs * 2 ** this.#losses));
  }

  /** Puts into the copy what was fetched, and the documents as of then into the folder. */
  async #bring(): Promise<void> {
    const { folder, documents } = this.#parts;
    const store = await this.#store();
    let cursor = await this.#end();
    const there = await store.count();
    if (there < cursor.seq)
      throw this.#differs(`ends at event ${there}, and here is ${cursor.seq}`);
    // A process may have died before it had placed what it brought.
    if (there === cursor.seq) return documents?.place(store);
    const lines = await store.linesAfter(Math.max(0, cursor.seq - 1));
    const known = cursor.seq === 0 ? undefined : (await this.#lineAt(cursor.seq)).toString();
    if (lines[0] !== known && known !== undefined)
      throw this.#differs(`has another event ${cursor.seq} than is here`);
    // As in a folder that all share: a document is there before the event that is about it.
    await documents?.place(store);
    const fresh = known === undefined ? lines : lines.slice(1);
    ensureFolder(folder);
    if (known !== undefined || !(await this.#fill(fresh)))
      for (const line of fresh) cursor = await this.#copyLine(cursor, line);
    if (fresh.length > 0) this.#parts.onBrought?.(there);
  }

  /** A log that was never here comes in as one file; false where there is one by now. */
  async #fill(lines: readonly string[]): Promise<boolean> {
    if (this.#begins) markBegun(this.#parts.folder, lines[0] ?? "");
    const path = join(this.#parts.folder, "events.jsonl");
    return createFileExclusively(path, lines.map((line) => `${line}\n`).join(""));
  }

  async #copyLine(cursor: Cursor, line: string): Promise<Cursor> {
    const seq = cursor.seq + 1;
    const event = parseLine(line, seq);
    if (typeof event === "string") throw this.#differs(`has an event ${seq} that ${event}`);
    const next = await super.append(cursor, event);
    if (next !== undefined) return next;
    // Another process of this machine was faster; or somebody wrote into the copy.
    if ((await this.#lineAt(seq)).toString() !== line)
      throw this.#differs(`has another event ${seq} than is here`);
    return this.placeAfter(cursor);
  }

  /** The place after the last event of the copy. */
  async #end(): Promise<Cursor> {
    const checkpoint = await this.loadCheckpoint();
    let cursor = checkpoint?.cursor ?? this.start;
    for await (const page of pagesOf(this, cursor)) ({ cursor } = page);
    return cursor;
  }

  /** A line of the copy as its bytes are in the store. */
  async #lineAt(seq: number): Promise<Buffer> {
    const event = await this.at(seq);
    if (event === undefined) throw new Error(`the log has no event ${seq}`);
    return Buffer.from(toLine(event));
  }

  #differs(how: string): ConsultaError {
    const { where, folder } = this.#parts;
    return rewritten(
      `${where} ${how}: nothing was changed; to go on with what is there, move ${folder} away and join the session again`,
    );
  }
}

/** What is pushed stays there: nobody can take it back. @throws ConsultaError REFUSED for a credential. */
function refuseSecrets(event: LogEvent, documents: readonly EventDocument[]): void {
  const said = textsIn(event).join("\n");
  const texts: readonly (readonly [where: string, text: string])[] = [
    ["it", said],
    ...documents.map(
      ({ path, bytes }) => [quote(path), Buffer.from(bytes ?? []).toString()] as const,
    ),
  ];
  for (const [where, text] of texts) {
    const secret = findSecret(text);
    if (secret === undefined) continue;
    throw refused(
      `${where} looks as if it holds ${secret}, and what is sent to other machines cannot be taken back: nothing was sent; say where it is kept instead`,
    );
  }
}
