import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FileCall } from "./file-calls.ts";

/**
 * A disk and what the system has not written to it yet. It promises what POSIX does and no more:
 * fsync of a file makes its content last and not its name, fsync of a folder the names in it and
 * not what they name; all else is written whenever it pleases, in any order, or not at all. Only a
 * rename within one folder is one change.
 */
export class Disk {
  readonly #nodes = new Map<number, Node>([[0, new Folder()]]);
  #nextId = 1;
  #age = 0;

  /** From here on what is pending is older. */
  nextStep(): void {
    this.#age += 1;
  }

  apply(call: FileCall): void {
    switch (call.call) {
      case "create":
        if (this.#find(call.path) === undefined) this.#name(call.path, this.#make(new File()));
        return;
      case "mkdir":
        if (this.#find(call.path) === undefined) this.#name(call.path, this.#make(new Folder()));
        return;
      case "truncate":
        this.#file(call.path).change({ age: this.#age, size: call.size });
        return;
      case "write": {
        const file = this.#file(call.path);
        const offset = call.offset === "end" ? file.size() : call.offset;
        file.change({ age: this.#age, offset, bytes: call.bytes });
        return;
      }
      case "sync":
        this.#sync(call.path);
        return;
      case "link":
        this.#name(call.to, this.#idOf(call.path));
        return;
      case "unlink":
        this.#folder(call.path).change([this.#age, [[basename(call.path), undefined]]]);
        return;
      case "rename":
        this.#rename(call.path, call.to);
        return;
      default:
        call satisfies never;
    }
  }

  /** What is not on the disk yet, in the order in which it was asked for. */
  pending(): Change[] {
    return [...this.#nodes].flatMap(([id, node]) =>
      node.pending.map((_, index) => ({
        id,
        index,
        isData: node instanceof File,
        isRecent: ageOf(node, index) >= this.#age - 1,
      })),
    );
  }

  /** The files that a disk holds on which each change has come to that. */
  tree(fateOf: (change: Change) => Fate): Tree {
    const tree: Tree = new Map();
    const nodes = this.#nodes;
    const visit = (id: number, path: string) => {
      const node = nodes.get(id);
      const fates = (index: number) =>
        fateOf({ id, index, isData: node instanceof File, isRecent: true });
      if (node instanceof File) tree.set(path, node.content(fates));
      else if (node !== undefined) {
        if (path !== "") tree.set(path, null);
        for (const [name, child] of node.names(fates)) visit(child, join(path, name));
      }
    };
    visit(0, "");
    return tree;
  }

  #make(node: Node): number {
    this.#nodes.set(this.#nextId, node);
    this.#nextId += 1;
    return this.#nextId - 1;
  }

  #find(path: string): number | undefined {
    let id = 0;
    for (const name of path === "" ? [] : path.split("/")) {
      const node = this.#nodes.get(id);
      const next = node instanceof Folder ? node.names(() => "written").get(name) : undefined;
      if (next === undefined) return undefined;
      id = next;
    }
    return id;
  }

  #idOf(path: string): number {
    return this.#find(path) ?? assert.fail(`the recording names ${path}, which was never made`);
  }

  #file(path: string): File {
    const node = this.#nodes.get(this.#idOf(path));
    return node instanceof File ? node : assert.fail(`${path} is no file`);
  }

  /** The folder that holds a path. */
  #folder(path: string): Folder {
    const parent = dirname(path);
    const node = this.#nodes.get(this.#idOf(parent === "." ? "" : parent));
    return node instanceof Folder ? node : assert.fail(`${parent} is no folder`);
  }

  #name(path: string, id: number): void {
    this.#folder(path).change([this.#age, [[basename(path), id]]]);
  }

  #rename(from: string, to: string): void {
    const id = this.#idOf(from);
    const [source, target] = [this.#folder(from), this.#folder(to)];
    const entered: Entry = [basename(to), id];
    const removed: Entry = [basename(from), undefined];
    if (source === target) target.change([this.#age, [entered, removed]]);
    else {
      target.change([this.#age, [entered]]);
      source.change([this.#age, [removed]]);
    }
  }

  #sync(path: string): void {
    const id = this.#find(path);
    // A file that was opened and removed.
    if (id !== undefined) this.#nodes.get(id)?.sync();
  }
}

/** What becomes of a change: zeros and half only of what is written into a file. */
export type Fate = "written" | "missing" | "zeros" | "half";

export interface Change {
  readonly id: number;
  readonly index: number;
  readonly isData: boolean;
  /** Asked for by this command or the one before. */
  readonly isRecent: boolean;
}

/** What lies under each path; null for a folder. */
export type Tree = Map<string, Buffer | null>;

type Fates = (index: number) => Fate;
type Entry = [name: string, id: number | undefined];
type Write =
  | { readonly age: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly age: number; readonly size: number };

class File {
  #durable: Buffer = Buffer.alloc(0);
  pending: Write[] = [];

  change(write: Write): void {
    this.pending.push(write);
  }

  sync(): void {
    this.#durable = this.content(() => "written");
    this.pending = [];
  }

  size(): number {
    return this.content(() => "written").length;
  }

  content(fates: Fates): Buffer {
    let content: Buffer = this.#durable;
    for (const [index, write] of this.pending.entries()) {
      content = written(content, write, fates(index));
    }
    return content;
  }
}

function written(before: Buffer, write: Write, fate: Fate): Buffer {
  if (fate === "missing") return before;
  if ("size" in write) return resized(before, write.size);
  const { offset } = write;
  const bytes =
    fate === "half" ? write.bytes.subarray(0, write.bytes.length >> 1) : Buffer.from(write.bytes);
  if (fate === "zeros") bytes.fill(0);
  const after = resized(before, Math.max(before.length, offset + bytes.length));
  bytes.copy(after, offset);
  return after;
}

function resized(bytes: Buffer, size: number): Buffer {
  const after = Buffer.alloc(size);
  bytes.copy(after, 0, 0, size);
  return after;
}

class Folder {
  #durable = new Map<string, number>();
  pending: [age: number, entries: Entry[]][] = [];

  change(change: [age: number, entries: Entry[]]): void {
    this.pending.push(change);
  }

  sync(): void {
    this.#durable = this.names(() => "written");
    this.pending = [];
  }

  names(fates: Fates): Map<string, number> {
    const names = new Map(this.#durable);
    for (const [index, [, entries]] of this.pending.entries()) {
      if (fates(index) === "missing") continue;
      for (const [name, id] of entries) {
        if (id === undefined) names.delete(name);
        else names.set(name, id);
      }
    }
    return names;
  }
}

type Node = File | Folder;

function ageOf(node: Node, index: number): number {
  const change = node.pending[index];
  if (change === undefined) return 0;
  return Array.isArray(change) ? change[0] : change.age;
}

/** Tells a state from every other; what drafts hold that never got their name makes none. */
export function hashOf(tree: Tree): string {
  const hash = createHash("sha256");
  for (const [path, content] of [...tree].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const isDraft = /^\.?tmp-/.test(basename(path));
    hash.update(`${path}\0${content === null ? "folder" : isDraft ? "draft" : content.length}\0`);
    if (content !== null && !isDraft) hash.update(content);
  }
  return hash.digest("hex");
}

/** Puts the files on a real disk, as old as files are after a restart. */
export function writeTree(tree: Tree, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const then = Date.now() / 1_000 - 3_600;
  // Folders come before what is in them.
  for (const [path, content] of tree) {
    if (content === null) mkdirSync(join(folder, path), { mode: 0o700 });
    else {
      writeFileSync(join(folder, path), content, { mode: 0o600 });
      utimesSync(join(folder, path), then, then);
    }
  }
}

/** A call that the recording missed would leave the model with other files than the real disk. */
export function checkComplete(disk: Disk, folder: string, isIgnored = (_path: string) => false) {
  const shown = (tree: Tree) =>
    Object.fromEntries(
      [...tree]
        .filter(([path]) => !isIgnored(path))
        .map(([path, bytes]) => [path, bytes?.toString("latin1") ?? null]),
    );
  assert.deepEqual(shown(disk.tree(() => "written")), shown(readTree(folder)));
}

/** The files of a real disk. */
function readTree(folder: string): Tree {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(
    paths.map((path) => {
      const whole = join(folder, path);
      return [path, lstatSync(whole).isDirectory() ? null : readFileSync(whole)];
    }),
  );
}
