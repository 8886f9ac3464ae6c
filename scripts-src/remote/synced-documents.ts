import { join } from "node:path";
import { isRecord, parseJson } from "../base/json.ts";
import {
  readBytesIfPresent,
  readFileIfPresent,
  writeFileAtomically,
} from "../files/atomic-file.ts";
import { sha256 } from "../files/hash.ts";
import { discard } from "../files/safe-open.ts";
import { ensureFolder, resolveProjectFile } from "../files/safe-path.ts";
import type { EventDocument } from "../log/event-log.ts";
import { documentBytesMax } from "../session/outgoing-documents.ts";
import { remoteLimits } from "./limits.ts";
import type { RemoteStore, StoredDocument } from "./remote-store.ts";

/** A document as it was put into the folder, or was sent from there. */
interface Placed {
  readonly version: string;
  readonly sha256: string;
}

export interface PlacesOfDocuments {
  readonly folder: string;
  /** The list of what was placed: outside of the folder, which a clone may bring. */
  readonly list: string;
  /** The text of a document here was kept beside the one that took its place. */
  onKept(path: string, keptAs: string): void;
}

/**
 * The documents of a session in its folder, as the last event that came has them. What somebody has
 * changed here and nobody elsewhere stays. Where both did, the text of the event takes the place, and
 * the other is kept beside it.
 */
export class PlacedDocuments {
  readonly #places: PlacesOfDocuments;

  constructor(places: PlacesOfDocuments) {
    this.#places = places;
  }

  async place(store: RemoteStore): Promise<void> {
    const placed = this.#read();
    const stored = await store.documents();
    const there = new Set(stored.map(({ path }) => path));
    const due = stored.filter(({ path, version }) => placed.get(path)?.version !== version);
    const gone = [...placed].filter(([path]) => !there.has(path));
    if (due.length + gone.length === 0) return;
    for (const [path, { sha256: hash }] of gone) {
      this.#removeOne(path, hash);
      placed.delete(path);
    }
    for (const { path, bytes } of await store.read(due)) {
      this.#placeOne(path, bytes, placed.get(path)?.sha256);
      placed.set(path, { version: versionOf(due, path), sha256: sha256(bytes) });
    }
    this.#write(placed);
  }

  /** Notes what went out with an event of ours: it is in the folder. */
  async sent(store: RemoteStore, documents: readonly EventDocument[]): Promise<void> {
    const placed = this.#read();
    const stored = await store.documents();
    for (const { path, bytes } of documents) {
      if (bytes === null) placed.delete(path);
      else placed.set(path, { version: versionOf(stored, path), sha256: sha256(bytes) });
    }
    this.#write(placed);
  }

  /** Puts a document back as the store has it; gives where that of here is kept, if there was another. */
  async putBack(store: RemoteStore, path: string): Promise<string | undefined> {
    const [text] = await store.read((await store.documents()).filter((it) => it.path === path));
    const { file, found } = this.#found(path);
    if (text === undefined || found === undefined) return undefined;
    const keptAs = this.#keepOne(path, found);
    writeFileAtomically(file, text.bytes, { sync: "content" });
    return join(this.#places.folder, keptAs);
  }

  #found(path: string) {
    const file = resolveProjectFile(this.#places.folder, path);
    return { file, found: readBytesIfPresent(file, documentBytesMax) };
  }

  #placeOne(path: string, bytes: Uint8Array, before: string | undefined): void {
    const { file, found } = this.#found(path);
    const now = found && sha256(found);
    if (now === sha256(bytes)) return;
    if (found !== undefined && now !== before)
      this.#places.onKept(path, this.#keepOne(path, found));
    ensureFolder(this.#places.folder, ...path.split("/").slice(0, -1));
    writeFileAtomically(file, bytes, { sync: "content" });
  }

  /** What somebody has changed here since stays. */
  #removeOne(path: string, before: string): void {
    const { file, found } = this.#found(path);
    if (found !== undefined && sha256(found) === before) discard(file);
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
