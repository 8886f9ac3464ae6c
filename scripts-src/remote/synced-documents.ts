import { join } from "node:path";
import { isRecord, parseJson } from "../base/json.ts";
import {
  readBytesIfPresent,
  readFileIfPresent,
  writeFileAtomically,
} from "../files/atomic-file.ts";
import { sha256 } from "../files/hash.ts";
import { discard } from "../files/regular-file.ts";
import { ensureFolder, resolveProjectFile } from "../files/safe-path.ts";
import type { EventDocument } from "../log/event-log.ts";
import { remoteLimits } from "./limits.ts";
import type { RemoteStore, StoredDocument } from "./remote-store.ts";

/** A document as it was put into the folder, or was sent from there. */
interface Placed {
  readonly version: string;
  readonly sha256: string;
}

/** Whose text was kept beside the one that took its place. */
export interface KeptText {
  readonly path: string;
  readonly keptAs: string;
}

export interface PlacesOfDocuments {
  readonly folder: string;
  /** The list of what was placed: outside of the folder, which a clone may bring. */
  readonly list: string;
  onKept(kept: KeptText): void;
}

/**
 * The documents of a session in its folder, as the last event that came has them. What somebody has
 * changed here and nobody elsewhere stays. Where both did, the text of the event takes the place, and
 * the other is kept beside it.
 */
export class PlacedDocuments {
  readonly #places: PlacesOfDocuments;
  readonly #store: RemoteStore;

  constructor(places: PlacesOfDocuments, store: RemoteStore) {
    this.#places = places;
    this.#store = store;
  }

  /** Whether a process died before it had placed what it brought. */
  async areDue(): Promise<boolean> {
    const placed = this.#read();
    const stored = await this.#store.documents();
    const isNew = ({ path, version }: StoredDocument) => placed.get(path)?.version !== version;
    return stored.length !== placed.size || stored.some(isNew);
  }

  async place(): Promise<void> {
    const placed = this.#read();
    const stored = await this.#store.documents();
    const due = stored.filter(({ path, version }) => placed.get(path)?.version !== version);
    const there = new Set(stored.map(({ path }) => path));
    const gone = [...placed].filter(([path]) => !there.has(path));
    if (due.length + gone.length === 0) return;
    for (const [path, { sha256: hash }] of gone) {
      this.#removeOne(path, hash);
      placed.delete(path);
    }
    const texts = await this.#store.read(due);
    for (const { path, bytes } of texts) {
      this.#placeOne(path, bytes, placed.get(path)?.sha256);
      placed.set(path, { version: versionOf(due, path), sha256: sha256(bytes) });
    }
    this.#write(placed);
  }

  /** Notes what went out with an event of ours: it is in the folder. */
  async sent(documents: readonly EventDocument[]): Promise<void> {
    const placed = this.#read();
    const stored = await this.#store.documents();
    for (const { path, bytes } of documents) {
      if (bytes === null) placed.delete(path);
      else placed.set(path, { version: versionOf(stored, path), sha256: sha256(bytes) });
    }
    this.#write(placed);
  }

  /** Puts a document back as the store has it; gives where that of here is kept, if there was another. */
  async putBack(path: string): Promise<string | undefined> {
    const stored = (await this.#store.documents()).filter((it) => it.path === path);
    const [text] = await this.#store.read(stored);
    const file = resolveProjectFile(this.#places.folder, path);
    const found = readBytesIfPresent(file, remoteLimits.documentBytes);
    if (text === undefined || found === undefined) return undefined;
    const keptAs = this.#keepOne(path, found);
    writeFileAtomically(file, text.bytes, { sync: "content" });
    return join(this.#places.folder, keptAs);
  }

  #placeOne(path: string, bytes: Uint8Array, before: string | undefined): void {
    const { folder } = this.#places;
    const file = resolveProjectFile(folder, path);
    const found = readBytesIfPresent(file, remoteLimits.documentBytes);
    const now = found && sha256(found);
    if (now === sha256(bytes)) return;
    if (found !== undefined && now !== before) this.#keep(path, found);
    ensureFolder(folder, ...path.split("/").slice(0, -1));
    writeFileAtomically(file, bytes, { sync: "content" });
  }

  /** What somebody has changed here since stays. */
  #removeOne(path: string, before: string): void {
    const file = resolveProjectFile(this.#places.folder, path);
    const found = readBytesIfPresent(file, remoteLimits.documentBytes);
    if (found !== undefined && sha256(found) === before) discard(file);
  }

  #keep(path: string, bytes: Uint8Array): void {
    this.#places.onKept({ path, keptAs: this.#keepOne(path, bytes) });
  }

  #keepOne(path: string, bytes: Uint8Array): string {
    const { folder } = this.#places;
    const name = `${sha256(bytes).slice(0, 12)}-${path.replaceAll("/", "-")}`;
    writeFileAtomically(join(ensureFolder(folder, keptFolder), name), bytes);
    return `${keptFolder}/${name}`;
  }

  #read(): Map<string, Placed> {
    const text = readFileIfPresent(this.#places.list, remoteLimits.placedBytes) ?? "{}";
    const value = parseJson(text);
    const entries = Object.entries(isRecord(value) ? value : {});
    return new Map(entries.flatMap(([path, it]) => (isPlaced(it) ? [[path, it]] : [])));
  }

  #write(placed: ReadonlyMap<string, Placed>): void {
    writeFileAtomically(this.#places.list, `${JSON.stringify(Object.fromEntries(placed))}\n`);
  }
}

/** Hidden: no rule of a session looks at what is in it. */
const keptFolder = ".kept";

function isPlaced(value: unknown): value is Placed {
  return (
    isRecord(value) && typeof value["version"] === "string" && typeof value["sha256"] === "string"
  );
}

function versionOf(stored: readonly StoredDocument[], path: string): string {
  return stored.find((it) => it.path === path)?.version ?? "";
}
